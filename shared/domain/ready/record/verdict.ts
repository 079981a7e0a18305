import type { Condition } from "../../kubernetes/conditions.ts";
import { printable, sentence } from "../../text/redact.ts";
import { isReady, type ReadyStatus } from "../judge.ts";
import type { ImageRecords } from "./image-record.ts";

/** Something that is missing or could not be read, so that images are unknown or not ready. */
export type ContentProblem = Readonly<{
  text: string;
  /** False if the text is about something that could not be read. */
  isMissing: boolean;
}>;

export const readinessReasons = [
  "ImagesReady",
  "ImagesNotReady",
  "ImagesUnknown",
  "ImagesBeingChecked",
] as const;

/** Whether all images are ready. `Unknown` means that a check is in progress, or that registries cannot be queried. */
export type Readiness = Readonly<{
  ready: Condition["status"];
  reason: (typeof readinessReasons)[number];
  message: string;
}>;

const maxNamed = 3;

function listed(names: readonly string[]): string {
  const more = names.length - maxNamed;
  // Image names may contain a login by mistake.
  return printable(`${names.slice(0, maxNamed).join("; ")}${more > 0 ? `; and ${more} more` : ""}`);
}

/**
 * Returns whether an upgrade's images are ready. An image with a status in `notAsked` is unknown, not missing, because
 * this account could not query the registry as a node would.
 */
export function readinessOf(
  images: readonly string[],
  records: ImageRecords,
  problems: readonly ContentProblem[],
  notAsked: ReadonlySet<ReadyStatus>,
): Readiness {
  const checked = images.flatMap((image) => {
    const record = records.get(image);
    return record ? [{ image, status: record.status }] : [];
  });
  const failed = checked.filter(({ status }) => !isReady(status, false));
  const unknown = failed.filter(({ status }) => notAsked.has(status));
  const missing = failed.filter(({ status }) => !notAsked.has(status));
  const named = (some: typeof checked) => some.map(({ image, status }) => sentence`${image}: ${status}`);
  const texts = (isMissing: boolean) =>
    problems.filter((one) => one.isMissing === isMissing).map(({ text }) => text);
  const total = images.length;
  const lacking = [...texts(true), ...named(missing)];
  if (lacking.length > 0)
    return {
      ready: "False",
      reason: "ImagesNotReady",
      message: sentence`${missing.length} of ${total} images are not ready for the managed clusters: ${listed(lacking)}.`,
    };
  const open = [...texts(false), ...named(unknown)];
  if (open.length > 0)
    return {
      ready: "Unknown",
      reason: "ImagesUnknown",
      message: sentence`${unknown.length} of ${total} images could not be checked, and will be checked again: ${listed(open)}.`,
    };
  if (checked.length < total)
    return {
      ready: "Unknown",
      reason: "ImagesBeingChecked",
      message: `${checked.length} of ${total} images are checked.`,
    };
  return {
    ready: "True",
    reason: "ImagesReady",
    message: `All ${total} images are ready for the managed clusters.`,
  };
}
