import { hostOf } from "../../images/scope.ts";
import { counted } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import { type Candidate, matchLength } from "./pull-sources.ts";

/**
 * How long nodes wait for a registry that does not respond.
 * Source: containers/image v5.36.2, pkg/tlsclientconfig/tlsclientconfig.go:90 and :96, docker/docker_client.go:914.
 */
export const waitText =
  "at every pull they wait up to 30 s for a connection, 10 s for TLS, and for a response without limit";

/** `from` is the first location that has the image or may have it; null if none. `tried` is in the order of trying. */
type Pull = Readonly<{
  image: string;
  from: string | null;
  tried: readonly Readonly<{ location: string; result: string | null }>[];
}>;

/** The pulls of images while registries are down. */
export type Outage = Readonly<{
  without: readonly string[];
  text: string;
  /** Images for which nodes first try a location that is down. `from` is the location that then serves, if any. */
  images: readonly Readonly<{ image: string; from: string | null }>[];
}>;

/** Returns the candidate, with the reason `down` if it would be tried but is in one of the scopes in `without`. */
export function whileDown(candidate: Candidate, without: readonly string[]): Candidate {
  const isDown = candidate.taken && without.some((scope) => matchLength(candidate.reference, scope) >= 0);
  return isDown ? { ...candidate, taken: false, reason: "down" } : candidate;
}

function isAffected({ from, tried }: Pull): boolean {
  const first = tried.find(({ location, result }) => location === from || result === "down");
  return first?.result === "down";
}

/** Returns how pulls change while the registries in `without` are down. */
export function outageOf(without: readonly string[], pulls: readonly Pull[]): Outage {
  const affected = pulls.filter(isAffected);
  const where = ({ from }: Pull) => (from === null ? "nowhere" : sentence`${hostOf(from)}, slower`);
  const groups = [...Map.groupBy(affected, where)];
  const parts = groups.map(([from, some]) => sentence`${counted(some.length, "image")} from ${from}`);
  const others = pulls.length - affected.length;
  if (others > 0) parts.push(sentence`${counted(others, "image")} as before`);
  const down = without.join(" and ");
  const wait = affected.some(({ from }) => from !== null)
    ? sentence`. They ask ${down} first: ${waitText}`
    : "";
  const text = sentence`Without ${down} nodes pull ${parts.join("; ")}${wait}.`;
  return { without, text, images: affected.map(({ image, from }) => ({ image, from })) };
}
