import { type KubernetesObject, namespacedName, namespaceOf, timestamp } from "../../kubernetes/object.ts";
import { age } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import { isReady, type ReadyStatus, readyStatuses } from "../judge.ts";
import { readReadiness, type StoredReadiness } from "./readiness-report.ts";
import type { Readiness } from "./verdict.ts";

/** Whether the images that an upgrade pre-caches are ready, for display and JSON output. */
export type FleetReadiness = Pick<Readiness, "ready" | "reason"> &
  Readonly<{
    /** Why `ready` has its value, as a clause: `3 of 190 images are missing`. */
    message: string;
    /** The oldest check time (RFC 3339) of images that are not ready, or of all if all are ready; absent if none. */
    checked?: string;
    imagesTotal: number;
    notReadyCount: number;
    notReady: readonly Readonly<{ image: string; status: ReadyStatus }>[];
    /** Why images are unknown, and what is missing besides images. */
    problems: readonly string[];
    /** Warnings about registries that delay pulls although the images are ready. */
    warnings: readonly string[];
    /** The remedy; absent if nothing is wrong. */
    fix?: string;
  }>;

type Upgrade = Readonly<{ namespace: string; name: string; revision: string }>;

/** What a user can do about each status. The same remedies are in docs/how-to/ready-before-the-window.md. */
const fixOf: Readonly<Record<ReadyStatus, string | undefined>> = {
  ready: undefined,
  "source-only": undefined,
  unsigned: "mirror the signatures as well",
  incomplete: "mirror incomplete images again",
  missing: "mirror missing images, or change the rule",
  unauthorized: "correct the pull secret, or permit precache-ready to read it",
  untrusted: "add the registry's authority to Image cluster or to the cluster's proxy settings",
  unreachable: "let the pods of precache-ready reach the registry",
  unknown: "pull the image on a node: only nodes can ask its registry, or have the login",
};

type NotReady = FleetReadiness["notReady"];

const statusesOf = (notReady: NotReady) =>
  readyStatuses.filter((status) => notReady.some((one) => one.status === status));

const clause = (message: string): string =>
  message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, "");

function checkedAt({ records }: StoredReadiness, failed: NotReady): string | undefined {
  const deciding = failed.length > 0 ? failed.map(({ image }) => records.get(image)) : [...records.values()];
  const times = deciding.flatMap((record) => (record ? [Date.parse(record.at)] : []));
  return times.length > 0 ? timestamp(new Date(Math.min(...times))) : undefined;
}

function fixFor({ reason }: Readiness, failed: NotReady, key: string): string | undefined {
  const isWrong = reason === "ImagesNotReady" || reason === "ImagesUnknown";
  const all = [
    ...statusesOf(failed).flatMap((status) => fixOf[status] ?? []),
    ...(isWrong ? [sentence`'hubrelay ready --cgu ${key}' shows where nodes look for each image`] : []),
  ];
  return all.length > 0 ? all.join("; ") : undefined;
}

function readinessIn(report: KubernetesObject, fleet: Upgrade): FleetReadiness {
  const stored = readReadiness(report);
  const { ready, reason, message, images, records, problems, warnings } = stored;
  if (stored.revision !== fleet.revision)
    return {
      ready: "Unknown",
      reason: "ImagesBeingChecked",
      message: "the images are not checked yet, the report is about earlier content",
      imagesTotal: images.length,
      notReadyCount: 0,
      notReady: [],
      problems: [],
      warnings: [],
    };
  const failed = [...records].flatMap(([image, { status }]) =>
    isReady(status, false) ? [] : [{ image, status }],
  );
  const checked = checkedAt(stored, failed);
  const fix = fixFor(stored, failed, namespacedName(fleet));
  return {
    ready,
    reason,
    message:
      failed.length > 0
        ? sentence`${failed.length} of ${images.length} images ${failed.length === 1 ? "is" : "are"} ${statusesOf(failed).join(" or ")}`
        : clause(message),
    ...(checked === undefined ? {} : { checked }),
    imagesTotal: images.length,
    notReadyCount: failed.length,
    notReady: failed,
    problems: problems.map(({ text }) => text),
    warnings,
    ...(fix === undefined ? {} : { fix }),
  };
}

/** Returns a fleet with the readiness from its ReadinessReport; unchanged without a report. */
export function withReadiness<Fleet extends Upgrade>(
  fleet: Fleet,
  reports: readonly KubernetesObject[],
): Fleet & Readonly<{ readiness?: FleetReadiness }> {
  const { namespace, name } = fleet;
  const report = reports.find((one) => one.metadata.name === name && namespaceOf(one) === namespace);
  return report ? { ...fleet, readiness: readinessIn(report, fleet) } : fleet;
}

const words = { True: "yes", False: "no", Unknown: "unknown" } as const;

/** Formats readiness: `Ready: no, 3 of 190 images are missing (checked 12m ago)`. */
export function readinessText({ ready, message, checked }: FleetReadiness, now: Date): string {
  const when = checked === undefined ? "" : sentence` (checked ${age(new Date(checked), now)} ago)`;
  return sentence`Ready: ${words[ready]}, ${message}${when}`;
}

/** The default number of rows in a list; further rows are only counted. */
export const maxShown = 10;

/** Returns images that are not ready, warnings and the fix, one per line. Images beyond `max` are only counted. */
export function readinessDetails(
  { notReady, problems, warnings, fix }: FleetReadiness,
  max = maxShown,
): readonly string[] {
  const named = [...problems, ...notReady.map(({ image, status }) => `${image}: ${status}`)];
  const more = named.length - max;
  return [
    ...named.slice(0, max),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...warnings,
    ...(fix === undefined ? [] : [sentence`Fix: ${fix}`]),
  ];
}
