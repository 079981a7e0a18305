import { hostOf } from "../images/scope.ts";
import { fieldWarning, type Issue } from "../issues/issue.ts";
import { someOf } from "../kubernetes/json/values.ts";
import { type Outage, waitText } from "../mirrors/pull/outage.ts";
import { sentence } from "../text/redact.ts";
import type { ImageLocation, ImageRoute } from "./locations.ts";
import type { SignatureVerdict } from "./verify-signatures.ts";

/** The code of the warning about a registry that does not respond, and the reason of its Kubernetes Event. */
export const unresponsiveCode = "RegistryUnresponsive";

type SilentLocation = Pick<TriedLocation, "location" | "detail">;

/** Returns the locations that did not respond and that nodes try before another location; one for each registry. */
export function silentInFront({ tried }: Pick<JudgedImage, "tried">): readonly SilentLocation[] {
  const asked = tried.filter(({ result }) => result !== "skipped");
  const silent = asked.slice(0, -1).filter(({ result }) => result === "unreachable");
  return [...new Map(silent.map((one) => [hostOf(one.location), one])).values()];
}

/**
 * Returns a warning for each registry that did not respond and that nodes ask before another registry. Nodes do not
 * remember an unresponsive registry: each pull waits for the timeout.
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
    /** Bytes to pull for all images; a layer that several images share counts once. */
    bytes: number;
    /** The number of images by status. Statuses that no image has are absent. */
    byStatus: Readonly<Partial<Record<ReadyStatus, number>>>;
  }>;
  images: readonly JudgedImage[];
  issues: readonly Issue[];
  /** How pulls change while registries are down; absent unless registries are assumed to be down. */
  outage?: Outage;
}>;

/** Reports whether nodes can pull an image of this status. */
export function isReady(status: ReadyStatus, isDisconnected: boolean): boolean {
  return status === "ready" || (status === "source-only" && !isDisconnected);
}

/** Returns the report of all images. `bytes` is the size of all layers; each layer counts once. */
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

const ofUnreadImages: ReadonlySet<string> = new Set(["ReleaseUnreadable", "CatalogUnreadable"]);

/** Reports whether images are not ready only because registries could not be asked. */
export function couldNotAsk({ ready, images, issues }: ReadyReport, isDisconnected: boolean): boolean {
  const failed = images.filter(({ status }) => !isReady(status, isDisconnected));
  return (
    !ready &&
    failed.length > 0 &&
    failed.every(({ status }) => status === "unreachable" || status === "unknown") &&
    issues.every(({ code, severity }) => severity !== "error" || ofUnreadImages.has(code))
  );
}

/** What a registry responded about one location. */
export type LocationResponse =
  | Readonly<{ result: "missing" | "unauthorized" | "untrusted" | "unreachable" | "unknown"; detail: string }>
  /** The registry has a manifest, so nodes use this location. `lacking` are the needed parts that it lacks. */
  | Readonly<{
      result: "found";
      bytes: number;
      lacking: readonly string[];
      /** Whether the signatures meet the signature policy; undefined if the policy requires none. */
      signatures: SignatureVerdict | undefined;
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
  /** The registry is assumed to be down and was not asked. */
  | "down"
  | "skipped";

type TriedLocation = Readonly<{ location: string; result: LocationResult; detail: string }>;

/** Every status of an image, from best to worst. */
export const readyStatuses = [
  "ready",
  "source-only",
  "unsigned",
  "incomplete",
  "missing",
  "unauthorized",
  "untrusted",
  "unreachable",
  /** hubrelay could not ask: only nodes can reach the registry, or only nodes have a login for it. */
  "unknown",
] as const;
export type ReadyStatus = (typeof readyStatuses)[number];

/** Whether nodes can pull an image, and from where. */
export type JudgedImage = Readonly<{
  image: string;
  status: ReadyStatus;
  /** The reference from which nodes pull the image; null if they cannot pull it. */
  from: string | null;
  /** Bytes to pull for the image; null if unknown. */
  bytes: number | null;
  tried: readonly TriedLocation[];
}>;

/** The registries' responses. Keys are the references of the image's locations. */
type LocationResponses = ReadonlyMap<string, LocationResponse>;

function resultOf(response: LocationResponse): LocationResult {
  if (response.result !== "found") return response.result;
  if (response.lacking.length > 0) return "incomplete";
  if (response.signatures?.state === "unreachable") return "unreachable";
  return ["absent", "invalid", "unread"].includes(response.signatures?.state ?? "") ? "unsigned" : "complete";
}

const maxNamed = 3;

function detailOf(response: LocationResponse): string {
  if (response.result !== "found") return response.detail;
  const { lacking, signatures } = response;
  if (lacking.length > 0) return sentence`lacks ${someOf(lacking, maxNamed)}`;
  switch (signatures?.state) {
    case undefined:
      return "";
    case "valid":
      return "it has the signature that a policy requires";
    case "absent":
      return "a policy requires a signature, and none is there";
    case "invalid":
      return sentence`a policy requires a signature, and refuses the one that is there: ${signatures.reason}`;
    case "unread":
    case "unreachable":
      return sentence`a policy requires a signature, and none can be read: ${signatures.reason}`;
    case "unchecked":
      return sentence`a policy requires a signature: ${signatures.reason}`;
  }
}

type Step = Readonly<{ next: ImageLocation } | { end: ImageLocation | undefined }>;

/**
 * Returns as `next` the location that a node tries next, or as `end` the location that decides about the image; `end`
 * is undefined if no location has the image. After a location without a layer or signature, a node tries only the
 * image's other full names.
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
 * If no location has an image, its status is the first of these that any location gave; otherwise it is `missing`.
 * `unknown` is first, because the image may be there.
 */
const worstFirst = ["unknown", "unauthorized", "untrusted", "unreachable"] as const;

function statusWithout(
  route: ImageRoute,
  responses: LocationResponses,
  isDisconnected: boolean,
): ReadyStatus {
  // Disconnected nodes can use only mirrors. If an image has no mirror at all, all locations count.
  const mirrors = route.locations.filter(({ isMirror }) => isMirror);
  const counted = isDisconnected && mirrors.length > 0 ? mirrors : route.locations;
  const results = counted.flatMap(({ reference, skipped }) =>
    skipped === undefined ? [responses.get(reference)?.result] : [],
  );
  return worstFirst.find((problem) => results.includes(problem)) ?? "missing";
}

/** Returns whether nodes can pull an image. Call this only after `nextStep` has returned `end`. */
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
  if (result === "incomplete" || result === "unsigned" || result === "unreachable")
    return { image, status: result, from: null, bytes, tried };
  return { image, status: chosen.isMirror ? "ready" : "source-only", from: chosen.reference, bytes, tried };
}
