import { hostOf } from "#shared/domain/images/scope.ts";
import { maxListed } from "#shared/domain/issues/issue.ts";
import { type KubernetesObject, namespacedName } from "#shared/domain/kubernetes/object.ts";
import { ensureObject } from "#shared/domain/plan/ensure-object.ts";
import { keptOutcomes, withOutcome } from "#shared/domain/plan/kept-outcomes.ts";
import { type ObjectEvent, planObjectEvents } from "#shared/domain/plan/object-events.ts";
import { type OutcomeEvent, outcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import type { Action, Decision, Plan } from "#shared/domain/plan/plan.ts";
import { type AccessEnd, soonest } from "#shared/domain/ready/access-ends.ts";
import { isReady, unresponsiveCode } from "#shared/domain/ready/judge.ts";
import { type ImageRecords, recordedWarnings } from "#shared/domain/ready/record/image-record.ts";
import {
  type Content,
  readinessReport,
  readReadiness,
  type StoredReadiness,
  withVerdict,
} from "#shared/domain/ready/record/readiness-report.ts";
import { type Readiness, readinessOf } from "#shared/domain/ready/record/verdict.ts";
import type { CheckedUpgrade } from "./ask-registries.ts";
import { eventComponent, eventLabels } from "./event-source.ts";
import type { Snapshot } from "./observe.ts";

/** Returns the plan for all ReadinessReports, with an Event and an outcome for images that are not ready. */
export function decide(snapshot: Snapshot): Plan {
  const { now, hubId, reports, objectEvents, upgrades, isUnfinished } = snapshot;
  const results = upgrades.map((checked) => decideUpgrade(checked, snapshot));
  const events = planObjectEvents({
    objectEvents: results.flatMap((result) => result.objectEvents),
    existing: objectEvents,
    component: eventComponent,
    labels: eventLabels,
    now,
  });
  return {
    decisions: results.map(({ decision }) => decision),
    issues: [],
    actions: [...results.flatMap(({ actions }) => actions), ...removals(snapshot), ...events],
    standing: () =>
      keptOutcomes(reports, {
        source: hubId,
        type: "dev.hubrelay.precache.",
        subjects: upgrades.map(({ cgu }) => namespacedName(cgu.metadata)),
      }),
    ...(isUnfinished ? { requeueAt: new Date(now.getTime() + 1_000) } : {}),
  };
}

function notReadyOutcome(
  hubId: string,
  cgu: KubernetesObject,
  { revision, since, message, images, records }: StoredReadiness,
): OutcomeEvent {
  const { namespace = "", name, uid } = cgu.metadata;
  const notReady = images.flatMap((image) => {
    const { status } = records.get(image) ?? {};
    return status === undefined || isReady(status, false) ? [] : [{ image, status }];
  });
  return outcomeEvent({
    type: "dev.hubrelay.precache.images-not-ready",
    source: hubId,
    subject: namespacedName(cgu.metadata),
    from: `${uid ?? ""} ${revision} ${since}`,
    at: since,
    data: {
      cgu: { namespace, name, ...(uid ? { uid } : {}) },
      revision,
      message,
      imagesTotal: images.length,
      notReadyCount: notReady.length,
      notReady: notReady.slice(0, maxListed),
    },
  });
}

type UpgradeResult = Readonly<{
  decision: Decision;
  actions: readonly Action[];
  objectEvents: readonly ObjectEvent[];
}>;

function verdictOn(
  content: Content,
  { records }: CheckedUpgrade,
  { obstacle, notAsked }: Snapshot,
): Readiness {
  const { images, problems } = content;
  const all = obstacle === undefined ? problems : [...problems, { text: obstacle, isMissing: false }];
  return readinessOf(images, records, all, notAsked);
}

function decideUpgrade(checked: CheckedUpgrade, snapshot: Snapshot): UpgradeResult {
  const { now, hubId, reports, obstacle } = snapshot;
  const { cgu, content, records } = checked;
  const key = namespacedName(cgu.metadata);
  const subject = `${cgu.kind}/${key}`;
  if (!content) {
    const reason = obstacle ?? "The images of other upgrades are read first.";
    return { decision: { subject, verdict: "ImagesBeingChecked", reason }, actions: [], objectEvents: [] };
  }
  const report = reports.find(({ metadata }) => namespacedName(metadata) === key);
  const stored = report && readReadiness(report);
  const before = stored?.revision === content.revision ? stored : undefined;
  const verdict = verdictOn(content, checked, snapshot);
  const warnings = recordedWarnings(content.images, records);
  const accessEnds = endsAt(registriesOf(records), snapshot.accessEnds, stored?.accessEnds ?? []);
  const next = { ...content, records, warnings, accessEnds, ...withVerdict(before, verdict, now) };
  const writes = ensureObject(report, readinessReport(cgu, report, next), "the readiness of its images");
  const isLost = next.known === "False" && before?.known !== "False";
  const isReported = verdict.reason === "ImagesNotReady" || verdict.reason === "ImagesUnknown";
  const { reason, message } = verdict;
  const warning = { regarding: cgu, type: "Warning" } as const;
  return {
    decision: { subject, verdict: reason, reason: message },
    actions: isLost ? writes.map((write) => withOutcome(write, notReadyOutcome(hubId, cgu, next))) : writes,
    objectEvents: [
      ...(isReported ? [{ ...warning, reason, message }] : []),
      ...(warnings.length > 0 ? [{ ...warning, reason: unresponsiveCode, message: warnings.join(" ") }] : []),
    ],
  };
}

function registriesOf(records: ImageRecords): ReadonlySet<string> {
  return new Set([...records.values()].flatMap(({ from }) => (from === undefined ? [] : [hostOf(from)])));
}

/** A certificate that is missing in `present` is kept from `before`: this process may not have seen it yet. */
function endsAt(
  registries: ReadonlySet<string>,
  present: readonly AccessEnd[],
  before: readonly AccessEnd[],
): readonly AccessEnd[] {
  const isKnown = (end: AccessEnd) =>
    present.some(({ what, name }) => what === end.what && name === end.name);
  const kept = before.filter((end) => end.what === "certificate" && !isKnown(end));
  return soonest(
    [...present, ...kept].filter(({ what, name }) => what !== "certificate" || registries.has(name)),
  );
}

function removals({ reports, upgrades }: Snapshot): readonly Action[] {
  const required = new Set(upgrades.map(({ cgu }) => namespacedName(cgu.metadata)));
  return reports
    .filter(({ metadata }) => !required.has(namespacedName(metadata)))
    .map(
      (object: KubernetesObject): Action => ({
        verb: "delete",
        object,
        reason: "no upgrade of this name requires ready images",
        accepts: "NotFound",
      }),
    );
}
