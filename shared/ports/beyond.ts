import { GuestError, type Guests } from "./guests.ts";
import { type Registry, RegistryError } from "./registry.ts";

/** What some functions reach beyond the hub. */
export type Beyond = Readonly<{ registry: Registry; guests: Guests }>;

async function noRegistry(): Promise<never> {
  throw new RegistryError("Unavailable", "No registry is asked here.");
}

/** For whoever must reach nothing but the hub: every registry and every guest is out of reach. */
export const nothingBeyond: Beyond = {
  registry: { digest: noRegistry, tags: noRegistry, image: noRegistry, files: noRegistry },
  guests: {
    open: async () => {
      throw new GuestError("No guest is reached here.");
    },
    opened: () => undefined,
  },
};
