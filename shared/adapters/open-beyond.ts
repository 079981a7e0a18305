import type { Beyond } from "../ports/beyond.ts";
import type { Environment } from "./environment.ts";
import { guestHubs } from "./guest-hubs.ts";
import { ociRegistry } from "./oci-registry.ts";

/** Registries and the API servers of hosted clusters, each reached when it is first asked for. */
export function openBeyond(environment: Environment): Beyond & Readonly<{ close(): void }> {
  const registry = ociRegistry({ environment });
  const guests = guestHubs({ environment });
  return {
    registry,
    guests,
    close() {
      registry.close();
      guests.close();
    },
  };
}
