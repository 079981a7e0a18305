import { textOf } from "../kubernetes/json/values.ts";
import { type KubernetesObject, timestamp } from "../kubernetes/object.ts";
import { type CheckedRecord, type ClusterCheck, isChecking } from "../precache-model/check-record.ts";
import { countOf } from "../precache-model/cluster-record.ts";
import { isFinalState } from "../precache-model/cluster-state.ts";
import { type CguName, type CheckRun, workName } from "../precache-model/work-identity.ts";
import { checkedReason } from "../precache-start/work/workload-contract.ts";
import { checkFeedbackOf, runStateOf, type WorkFeedback } from "./feedback.ts";

/** The longest time in minutes for the Job of a check, which pulls nothing. */
export const checkMinutes = 15;
/** The longest time in minutes until the hub learns that a Job has ended. */
const reportMinutes = 2;

type Upgrade = Readonly<{ name: CguName; revision: string }>;

const secondOf = (time: string): number => Math.floor(Date.parse(time) / 1000);

/** Returns the identity of a record's check, from which the names of the check's objects are derived. */
export function checkRunFor({ name: cgu, revision }: Upgrade, { started }: ClusterCheck): CheckRun {
  return { cgu, revision, check: secondOf(started) };
}

/** Returns the record with a new check. If the check is made before a window, `opening` is when the window opens. */
export function withNewCheck<Known extends CheckedRecord>(record: Known, now: Date, opening?: Date): Known {
  const before = opening ? { opening: timestamp(opening) } : {};
  return { ...record, check: { started: timestamp(now), attempt: record.attempt, ...before } };
}

/** Returns the time at which a check ends even if the cluster has reported no result. */
export function checkRunDeadline({ check }: Pick<CheckRun, "check">): Date {
  return new Date(check * 1000 + (checkMinutes + reportMinutes) * 60_000);
}

/** Returns the time at which a record's check ends even if the cluster has reported no result. */
export function checkDeadline({ started }: ClusterCheck): Date {
  return checkRunDeadline({ check: secondOf(started) });
}

type Result = Pick<ClusterCheck, "imagesPresent" | "imagesTotal" | "message">;

function countsOf(record: CheckedRecord, { values }: WorkFeedback<CheckRun>): Result | undefined {
  const [present, known] = [countOf(values.imagesDone), countOf(values.imagesTotal)];
  if (values.reason !== checkedReason || present === undefined || known === undefined) return undefined;
  const isUnlisted = Boolean(textOf(values.image));
  // If an index or release is itself missing (`image`), the reported total is too low.
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

/** Returns the record with the result of its check, or with a timeout; the same object while the check runs. */
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

/** Reports whether a request has `all` or the cluster's name, and the cluster has succeeded and is not in a check. */
export function isCheckRequested(
  cluster: string,
  record: CheckedRecord,
  requested: ReadonlySet<string>,
): boolean {
  if (record.state !== "Succeeded" || isChecking(record)) return false;
  return requested.has("all") || requested.has(cluster);
}
