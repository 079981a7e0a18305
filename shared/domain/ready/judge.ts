import { someOf } from "../kubernetes/json/values.ts";
import { sentence } from "../text/redact.ts";
import type { ImageLocation, ImageRoute } from "./locations.ts";

/** What a registry responded about one location. */
export type LocationResponse =
  | Readonly<{ result: "missing" | "unauthorized" | "untrusted" | "unreachable" | "unknown"; detail: string }>
  /** The registry returned a manifest, which every node then uses: `lacking` is what it needs and is not there. */
  | Readonly<{
      result: "found";
      /** Bytes to pull. */
      bytes: number;
      lacking: readonly string[];
      /** Whether every needed signature is there; undefined where none is needed. */
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
  | "skipped";

/** One location that was checked, or why no node pulls from it. */
export type TriedLocation = Readonly<{ location: string; result: LocationResult; detail: string }>;

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
  /** Only nodes can ask the registry, or only they have its login. */
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

/** The responses about the locations of one route, by their references. */
export type LocationResponses = ReadonlyMap<string, LocationResponse>;

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
 * Returns the next location that a node tries, or the one that decides. A node takes the first location that returns a
 * manifest, and no other if that has no layers or signature: only another name of the image is then tried.
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
 * Problems in the order in which fixing them helps, after what only nodes know: they may have no problem. A missing image comes after all of them: one mirror that lacks it is
 * no problem while others may have it.
 */
const worstFirst = ["unknown", "unauthorized", "untrusted", "unreachable"] as const;

function statusWithout(
  route: ImageRoute,
  responses: LocationResponses,
  isDisconnected: boolean,
): ReadyStatus {
  // Without a connection only mirrors count, unless the image has none: one that nodes skip is a mirror as well.
  const mirrors = route.locations.filter(({ isMirror }) => isMirror);
  const counted = isDisconnected && mirrors.length > 0 ? mirrors : route.locations;
  const results = counted.flatMap(({ reference, skipped }) =>
    skipped === undefined ? [responses.get(reference)?.result] : [],
  );
  return worstFirst.find((problem) => results.includes(problem)) ?? "missing";
}

/** Judges an image by the responses about its locations, once `nextStep` has none left. */
export function judgeImage(
  route: ImageRoute,
  responses: LocationResponses,
  { isDisconnected = false }: Readonly<{ isDisconnected?: boolean }> = {},
): JudgedImage {
  const step = nextStep(route, responses);
  const chosen = "end" in step ? step.end : undefined;
  const response = chosen && responses.get(chosen.reference);
  const tried = route.locations.flatMap(({ reference, skipped }): readonly TriedLocation[] => {
    if (skipped !== undefined) return [{ location: reference, result: "skipped", detail: skipped.text }];
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
