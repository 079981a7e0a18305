import { hostOf } from "../images/scope.ts";
import { fieldWarning, type Issue } from "../issues/issue.ts";
import { someOf } from "../kubernetes/json/values.ts";
import { type Outage, waitText } from "../mirrors/pull/outage.ts";
import { sentence } from "../text/redact.ts";
import type { ImageLocation, ImageRoute } from "./locations.ts";

/** The code of the warning, and the reason of the Kubernetes Event. */
export const unresponsiveCode = "RegistryUnresponsive";

/** A location that did not respond, followed by another one that nodes try. */
type SilentLocation = Pick<TriedLocation, "location" | "detail">;

/** Returns the unresponsive locations of an image, one for each registry. */
export function silentInFront({ tried }: Pick<JudgedImage, "tried">): readonly SilentLocation[] {
  const asked = tried.filter(({ result }) => result !== "skipped");
  const silent = asked.slice(0, -1).filter(({ result }) => result === "unreachable");
  return [...new Map(silent.map((one) => [hostOf(one.location), one])).values()];
}

/**
 * Returns one warning for each registry that did not respond and that nodes ask before another one. Nodes do not remember
 * it: they wait for the timeout at every pull.
 */
export function unresponsiveRegistries(silent: readonly SilentLocation[], total: number): readonly Issue[] {
  const byHost = Map.groupBy(silent, ({ location }) => hostOf(location));
  return [...byHost].map(([name, locations]) =>
    fieldWarning({ kind: "Registry", name }, "", undefined, {
      code: unresponsiveCode,
      message: sentence`This registry did not respond for ${locations.length} of ${total} images (${locations[0]?.detail}), and nodes ask it before others: ${waitText}`,
      remedy:
        "Bring the registry back, or remove it from the mirror objects; 'hubrelay explain IMAGE' shows which one names it.",
    }),
  );
}

/** Whether nodes can pull a set of images. */
export type ReadyReport = Readonly<{
  ready: boolean;
  summary: Readonly<{
    images: number;
    /** Bytes to pull, each layer once. */
    bytes: number;
    /** Only statuses that occur. */
    byStatus: Readonly<Partial<Record<ReadyStatus, number>>>;
  }>;
  images: readonly JudgedImage[];
  issues: readonly Issue[];
  /** Only where registries are assumed to be down. */
  outage?: Outage;
}>;

/** Reports whether nodes can pull an image of this status. */
export function isReady(status: ReadyStatus, isDisconnected: boolean): boolean {
  return status === "ready" || (status === "source-only" && !isDisconnected);
}

/** Builds the report of all images; `bytes` are those of all their layers, each once. */
export function readyReport(
  images: readonly JudgedImage[],
  bytes: number,
  issues: readonly Issue[],
  isDisconnected: boolean,
): ReadyReport {
  const counted = readyStatuses.flatMap((status) => {
    const count = images.filter((image) => image.status === status).length;
    return count > 0 ? [[status, count] as const] : [];
  });
  return {
    ready:
      images.every(({ status }) => isReady(status, isDisconnected)) &&
      issues.every(({ severity }) => severity !== "error"),
    summary: { images: images.length, bytes, byStatus: Object.fromEntries(counted) },
    images,
    issues,
  };
}

/** Codes of errors about a release or catalog whose list of images is unknown, since its own image cannot be read. */
const ofUnreadImages: ReadonlySet<string> = new Set(["ReleaseUnreadable", "CatalogUnreadable"]);

/** Reports whether no error is certain, because the deciding registries could not be asked. */
export function couldNotAsk({ ready, images, issues }: ReadyReport, isDisconnected: boolean): boolean {
  const failed = images.filter(({ status }) => !isReady(status, isDisconnected));
  return (
    !ready &&
    failed.length > 0 &&
    failed.every(({ status }) => status === "unreachable" || status === "unknown") &&
    issues.every(({ code, severity }) => severity !== "error" || ofUnreadImages.has(code))
  );
}

/** A registry's response about one location. */
export type LocationResponse =
  | Readonly<{ result: "missing" | "unauthorized" | "untrusted" | "unreachable" | "unknown"; detail: string }>
  /** The registry returned a manifest, and nodes use this location; `lacking` are the needed parts that are missing. */
  | Readonly<{
      result: "found";
      /** Bytes to pull. */
      bytes: number;
      lacking: readonly string[];
      /** Whether every required signature exists; undefined where none is required. */
      signed: boolean | undefined;
    }>;

export type LocationResult =
  | "complete"
  | "incomplete"
  | "unsigned"
  | "missing"
  | "unauthorized"
  | "untrusted"
  | "unreachable"
  | "unknown"
  /** The caller assumes that the registry is down: it is not asked. */
  | "down"
  | "skipped";

/** The check of one location, or why no node pulls from it. */
type TriedLocation = Readonly<{ location: string; result: LocationResult; detail: string }>;

/** Every status of an image, the worst last. */
export const readyStatuses = [
  "ready",
  "source-only",
  "unsigned",
  "incomplete",
  "missing",
  "unauthorized",
  "untrusted",
  "unreachable",
  /** Only nodes can query the registry, or only they have its login. */
  "unknown",
] as const;
export type ReadyStatus = (typeof readyStatuses)[number];

/** Whether nodes can pull an image, and from where. */
export type JudgedImage = Readonly<{
  image: string;
  status: ReadyStatus;
  /** The reference from which nodes pull it; null when they cannot. */
  from: string | null;
  /** Bytes to pull; null while unknown. */
  bytes: number | null;
  tried: readonly TriedLocation[];
}>;

/** By the references of the locations. */
type LocationResponses = ReadonlyMap<string, LocationResponse>;

function resultOf(response: LocationResponse): LocationResult {
  if (response.result !== "found") return response.result;
  if (response.lacking.length > 0) return "incomplete";
  return response.signed === false ? "unsigned" : "complete";
}

const maxNamed = 3;

function detailOf(response: LocationResponse): string {
  if (response.result !== "found") return response.detail;
  const { lacking, signed } = response;
  if (lacking.length > 0) return sentence`lacks ${someOf(lacking, maxNamed)}`;
  if (signed === undefined) return "";
  return signed
    ? "a signature is there, whose validity is not checked"
    : "a policy requires a signature, and none is there";
}

type Step = Readonly<{ next: ImageLocation } | { end: ImageLocation | undefined }>;

/**
 * Returns the next location that a node tries, or the deciding one. A node uses the first location that returns a manifest,
 * even if layers or a signature are missing there: it then only tries another name of the image.
 */
export function nextStep({ locations }: ImageRoute, responses: LocationResponses): Step {
  let failed: ImageLocation | undefined;
  for (const location of locations) {
    if (location.skipped !== undefined || failed?.name === location.name) continue;
    const response = responses.get(location.reference);
    if (!response) return { next: location };
    if (response.result !== "found") continue;
    if (resultOf(response) === "complete") return { end: location };
    failed = location;
  }
  return { end: failed };
}

/**
 * The order in which to report problems: `unknown` first, since there may be no problem, then those whose fix helps most. A
 * missing image comes after them: one mirror may lack it while others have it.
 */
const worstFirst = ["unknown", "unauthorized", "untrusted", "unreachable"] as const;

function statusWithout(
  route: ImageRoute,
  responses: LocationResponses,
  isDisconnected: boolean,
): ReadyStatus {
  // Without a connection only mirrors count, those that nodes skip included; an image without mirrors keeps all
  // locations.
  const mirrors = route.locations.filter(({ isMirror }) => isMirror);
  const counted = isDisconnected && mirrors.length > 0 ? mirrors : route.locations;
  const results = counted.flatMap(({ reference, skipped }) =>
    skipped === undefined ? [responses.get(reference)?.result] : [],
  );
  return worstFirst.find((problem) => results.includes(problem)) ?? "missing";
}

/** Judges an image by the responses about its locations; called when `nextStep` has no location left. */
export function judgeImage(
  route: ImageRoute,
  responses: LocationResponses,
  { isDisconnected = false }: Readonly<{ isDisconnected?: boolean }> = {},
): JudgedImage {
  const step = nextStep(route, responses);
  const chosen = "end" in step ? step.end : undefined;
  const response = chosen && responses.get(chosen.reference);
  const tried = route.locations.flatMap(({ reference, skipped }): readonly TriedLocation[] => {
    if (skipped !== undefined) {
      const result = skipped.reason === "down" ? "down" : "skipped";
      return [{ location: reference, result, detail: skipped.text }];
    }
    const one = responses.get(reference);
    return one ? [{ location: reference, result: resultOf(one), detail: detailOf(one) }] : [];
  });
  const { image } = route;
  if (!chosen || response?.result !== "found")
    return { image, status: statusWithout(route, responses, isDisconnected), from: null, bytes: null, tried };
  const result = resultOf(response);
  const { bytes } = response;
  if (result === "incomplete" || result === "unsigned")
    return { image, status: result, from: null, bytes, tried };
  return { image, status: chosen.isMirror ? "ready" : "source-only", from: chosen.reference, bytes, tried };
}
