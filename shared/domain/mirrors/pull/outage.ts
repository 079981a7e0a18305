import { hostOf } from "../../images/scope.ts";
import { counted } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import { type Candidate, matchLength } from "./pull-sources.ts";

/**
 * How long nodes wait for a registry that does not respond. Source: containers/image v5.36.2,
 * pkg/tlsclientconfig/tlsclientconfig.go:90 (connection) and :96 (TLS); docker/docker_client.go:914 sets no limit for a
 * response.
 */
export const waitText =
  "at every pull they wait up to 30 s for a connection, 10 s for TLS, and for a response without limit";

/** An image, with its locations. `from` is the first one that has it or may have it; null if there is none. */
type Pull = Readonly<{
  image: string;
  from: string | null;
  /** The locations of the image, in the order of trying. */
  locations: readonly Readonly<{ reference: string; isDown: boolean }>[];
}>;

/** The pulls of images while registries are down. */
export type Outage = Readonly<{
  /** The registries, or the paths within registries, that are down. */
  without: readonly string[];
  text: string;
  /** Images for which nodes first try a location that is down. `from` is the location that has the image, or null. */
  images: readonly Readonly<{ image: string; from: string | null }>[];
}>;

/** Returns a location, marked as down if it is in one of these scopes. A host without a port is down on every port. */
export function whileDown(candidate: Candidate, without: readonly string[]): Candidate {
  const isDown = candidate.taken && without.some((scope) => matchLength(candidate.reference, scope) >= 0);
  return isDown ? { ...candidate, taken: false, reason: "down" } : candidate;
}

function isAffected({ from, locations }: Pull): boolean {
  const used = locations.findIndex(({ reference }) => reference === from);
  return (used < 0 ? locations : locations.slice(0, used)).some(({ isDown }) => isDown);
}

/** Returns the effect of an outage on pulls, with a text that counts the images by the registry that serves them. */
export function outageOf(without: readonly string[], pulls: readonly Pull[]): Outage {
  const affected = pulls.filter(isAffected);
  const groups = Map.groupBy(affected, ({ from }) => (from === null ? "" : hostOf(from)));
  const others = pulls.length - affected.length;
  const parts = [
    ...[...groups].map(([host, some]) =>
      host === ""
        ? sentence`${counted(some.length, "image")} from nowhere`
        : sentence`${counted(some.length, "image")} from ${host}, slower`,
    ),
    ...(others > 0 ? [sentence`${counted(others, "image")} as before`] : []),
  ];
  const down = without.join(" and ");
  const wait = affected.some(({ from }) => from !== null)
    ? sentence`. They ask ${down} first: ${waitText}`
    : "";
  return {
    without,
    text: sentence`Without ${down} nodes pull ${parts.join("; ")}${wait}.`,
    images: affected.map(({ image, from }) => ({ image, from })),
  };
}
