import type { Issue } from "../issues/issue.ts";
import { type JudgedImage, type ReadyStatus, readyStatuses } from "./judge.ts";

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
}>;

/** Reports whether nodes can pull an image of this status. */
export function isReady(status: ReadyStatus, isDisconnected: boolean): boolean {
  return status === "ready" || (status === "source-only" && !isDisconnected);
}

/** Makes the report of all images; `bytes` are those of all their layers, each once. */
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

/** Errors that say only that an image which names others is not available, as does its own status. */
const ofUnreadImages: ReadonlySet<string> = new Set(["ReleaseUnreadable", "CatalogUnreadable"]);

/** Reports whether the registries that decide could not be asked, so that nothing is known to be wrong. */
export function couldNotAsk({ ready, images, issues }: ReadyReport, isDisconnected: boolean): boolean {
  const failed = images.filter(({ status }) => !isReady(status, isDisconnected));
  return (
    !ready &&
    failed.length > 0 &&
    failed.every(({ status }) => status === "unreachable" || status === "unknown") &&
    issues.every(({ code, severity }) => severity !== "error" || ofUnreadImages.has(code))
  );
}
