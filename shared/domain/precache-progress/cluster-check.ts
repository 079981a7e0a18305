import { object, required, text, time, type ValueOf, whole } from "../issues/field.ts";
import { textOf } from "../kubernetes/json/values.ts";
import { type KubernetesObject, timestamp } from "../kubernetes/object.ts";
import { type ClusterState, isFinalState } from "../precache-model/cluster-state.ts";
import { type CguName, type CheckRun, workName } from "../precache-model/work-identity.ts";
import { checkedReason } from "../precache-start/work/workload-contract.ts";
import { checkFeedbackOf, type WorkFeedback } from "./feedback.ts";
import { countOf, runStateOf } from "./run-state.ts";

/** The last check of whether a cluster still has the images that were pre-cached, or the one in progress. */
export const checkRecord = object(
  {
    started: required(time({ description: "Identifies the check." })),
    attempt: required(whole({ minimum: 1, description: "The attempt that pre-cached the images." })),
    opening: time({
      description: "The opening before which it is made; absent for one that a person requested.",
    }),
    checked: time({ description: "When the result was recorded; absent while it is in progress." }),
    imagesPresent: whole({ minimum: 0, description: "Absent, as imagesTotal, when there is no result." }),
    imagesTotal: whole({ minimum: 0 }),
    message: text({ description: "Names of missing images, or why there is no result." }),
  },
  { description: "The last check of whether the images are still there. It changes no state." },
);

export type ClusterCheck = NonNullable<ValueOf<typeof checkRecord>>;

/** The minutes that the Job of a check may take: it pulls nothing, and renders a catalog at most. */
export const checkMinutes = 15;
/** The maximum time until the end of a Job is visible on the hub, in minutes. */
const reportMinutes = 2;

type Upgrade = Readonly<{ name: CguName; revision: string }>;

/** What matters to checks of the record of a cluster. */
type CheckedRecord = Readonly<{
  state: ClusterState;
  attempt: number;
  imagesTotal?: number;
  check?: ClusterCheck;
}>;

/** True while the result of a check is awaited. */
export function isChecking<Known extends CheckedRecord>(
  record: Known | undefined,
): record is Known & Readonly<{ check: ClusterCheck }> {
  return record?.check !== undefined && record.check.checked === undefined;
}

const secondOf = (time: string): number => Math.floor(Date.parse(time) / 1000);

/** Returns the check of a record as it is named on the hub and on the cluster. */
export function checkRunFor({ name: cgu, revision }: Upgrade, { started }: ClusterCheck): CheckRun {
  return { cgu, revision, check: secondOf(started) };
}

/** Returns the record with a new check. `opening` is the one before which it is made, if any. */
export function withNewCheck<Known extends CheckedRecord>(record: Known, now: Date, opening?: Date): Known {
  const before = opening ? { opening: timestamp(opening) } : {};
  return { ...record, check: { started: timestamp(now), attempt: record.attempt, ...before } };
}

/** Returns how many images of a cluster's present attempt the last check has not found; 0 without a result. */
export function missingImages({ attempt, check }: CheckedRecord): number {
  if (check?.attempt !== attempt) return 0;
  return (check.imagesTotal ?? 0) - (check.imagesPresent ?? 0);
}

/** Returns when a check ends without a result, if nothing is reported before. */
export function checkRunDeadline({ check }: Pick<CheckRun, "check">): Date {
  return new Date(check * 1000 + (checkMinutes + reportMinutes) * 60_000);
}

/** The same for the check of a record. */
export function checkDeadline({ started }: ClusterCheck): Date {
  return checkRunDeadline({ check: secondOf(started) });
}

type Result = Pick<ClusterCheck, "imagesPresent" | "imagesTotal" | "message">;

/** Without an image that names others, these are not known: as many as there were count as missing. */
function countsOf(record: CheckedRecord, { values }: WorkFeedback<CheckRun>): Result | undefined {
  const [present, known] = [countOf(values.imagesDone), countOf(values.imagesTotal)];
  if (values.reason !== checkedReason || present === undefined || known === undefined) return undefined;
  const isUnlisted = Boolean(textOf(values.image));
  const imagesTotal = isUnlisted ? Math.max(known, record.imagesTotal ?? 0) : known;
  const note = isUnlisted ? "images that only a missing one names count as missing" : "";
  const message = [textOf(values.detail), note].filter(Boolean).join("; ");
  return { imagesPresent: Math.min(present, imagesTotal), imagesTotal, ...(message ? { message } : {}) };
}

function resultOf(record: CheckedRecord, feedback: WorkFeedback<CheckRun>): Result | undefined {
  const run = runStateOf(feedback);
  if (!run || !isFinalState(run.state)) return undefined;
  if (run.state === "Succeeded") return countsOf(record, feedback);
  const isMute = textOf(feedback.values.reason) === undefined;
  const hint = isMute ? " The image of the workload may be older than checks." : "";
  return { message: `${run.message}${hint}` };
}

function withoutResult(feedback: WorkFeedback<CheckRun> | undefined): Result {
  const message =
    feedback?.applied === undefined
      ? `The cluster's agent was unreachable for ${checkMinutes} min.`
      : `The cluster reported no result within ${checkMinutes} min.`;
  return { message: feedback?.message ?? message };
}

/**
 * Returns the record after the ManifestWork of its check, and after the check's deadline; the same object when nothing
 * changes. Only the field `check` ever differs: a check that finds nothing missing, or everything, is no other state.
 */
export function afterCheck<Known extends CheckedRecord>(
  record: Known,
  works: readonly KubernetesObject[],
  upgrade: Upgrade,
  now: Date,
): Known {
  if (!isChecking(record)) return record;
  const { check } = record;
  const name = workName(checkRunFor(upgrade, check));
  const work = works.find(({ metadata }) => metadata.name === name);
  const feedback = work && checkFeedbackOf(work);
  const isLate = now >= checkDeadline(check);
  const result = (feedback && resultOf(record, feedback)) ?? (isLate ? withoutResult(feedback) : undefined);
  return result ? { ...record, check: { ...check, checked: timestamp(now), ...result } } : record;
}

/**
 * On a ClusterGroupUpgrade: the clusters to check, `all` or their names separated by commas. It is removed when the
 * checks have started.
 */
export const checkAnnotation = "hubrelay.dev/check";

/**
 * True when the cluster is to be checked: it has succeeded, and it is named. One that is being checked is skipped, so a
 * repeated request has no effect.
 */
export function isCheckRequested(
  cluster: string,
  record: CheckedRecord,
  requested: ReadonlySet<string>,
): boolean {
  if (record.state !== "Succeeded" || isChecking(record)) return false;
  return requested.has("all") || requested.has(cluster);
}
