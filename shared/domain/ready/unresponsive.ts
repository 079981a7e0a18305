import { hostOf } from "../images/scope.ts";
import { fieldWarning, type Issue } from "../issues/issue.ts";
import { sentence } from "../text/redact.ts";
import type { JudgedImage, TriedLocation } from "./judge.ts";

/** The code of the warning, and the reason of the Kubernetes Event. */
export const unresponsiveCode = "RegistryUnresponsive";

/** A location that did not respond, and after which nodes try another one. */
export type SilentLocation = Pick<TriedLocation, "location" | "detail">;

/** Returns the locations of an image that did not respond, one for each registry. */
export function silentInFront({ tried }: Pick<JudgedImage, "tried">): readonly SilentLocation[] {
  const asked = tried.filter(({ result }) => result !== "skipped");
  const silent = asked.slice(0, -1).filter(({ result }) => result === "unreachable");
  return [...new Map(silent.map((one) => [hostOf(one.location), one])).values()];
}

/**
 * Returns one warning for each registry that did not respond and that nodes ask before another one. Nodes remember
 * nothing: they wait there at every pull.
 * Source: containers/image v5.36.2, pkg/tlsclientconfig/tlsclientconfig.go:90 (connection) and :96 (TLS);
 * docker/docker_client.go:914 sets no limit for a response.
 */
export function unresponsiveRegistries(silent: readonly SilentLocation[], total: number): readonly Issue[] {
  const byHost = Map.groupBy(silent, ({ location }) => hostOf(location));
  return [...byHost].map(([name, locations]) =>
    fieldWarning({ kind: "Registry", name }, "", undefined, {
      code: unresponsiveCode,
      message: sentence`This registry did not respond for ${locations.length} of ${total} images (${locations[0]?.detail}), and nodes ask it before others: at every pull they wait up to 30 s for a connection, 10 s for TLS, and for a response without limit`,
      remedy:
        "Bring the registry back, or remove it from the mirror objects; 'hubrelay explain IMAGE' shows which one names it.",
    }),
  );
}
