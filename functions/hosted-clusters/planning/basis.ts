import { hash } from "node:crypto";
import { byCodeUnit, fieldsOf, isRecord, ownValue } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, timestamp } from "#shared/domain/kubernetes/object.ts";
import { correlationAnnotation, outcomesAnnotation } from "#shared/domain/plan/kept-outcomes.ts";
import type { ObjectEvent } from "#shared/domain/plan/object-events.ts";
import type { PartialPlan } from "#shared/domain/plan/partial-plan.ts";
import { repositoriesIn } from "../snapshot/find-payload.ts";
import { mirrorFingerprintEvent } from "../snapshot/mirror-fingerprint.ts";
import { actionsIn, afterUpdates, type Context } from "./cluster-plan.ts";

/**
 * The longest time between reconciles of a hosted cluster. Only a reconcile reads guests, Secrets and registries. The
 * time is shorter than the three hours for which OpenShift keeps an Event.
 */
export const slowTickMs = 165 * 60_000;

/** The part of a decision's input that a tick can list for all hosted clusters at once. */
export type Basis = Readonly<{
  /** The HostedCluster as it is after the writes of the plan, so that these do not count as changes. */
  hostedCluster: KubernetesObject;
  mode: "own" | "verify";
  /** The HostedControlPlane and Deployments. Only their metadata is compared, and only in verify mode. */
  controlPlane: readonly KubernetesObject[];
}>;

const decidedFromAnnotation = "hubrelay.dev/decided-from";

/** Sorts the fields of objects, because an API server also sorts the fields of a stored object. */
const sortedFields = (_name: string, value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => byCodeUnit(one, other)))
    : value;

const addedByWrites: readonly string[] = [correlationAnnotation, outcomesAnnotation];

/** Conditions change often and are left out. */
function hostedClusterText({ metadata, spec, status }: KubernetesObject): string {
  const { uid, labels, finalizers } = metadata;
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([name]) => !addedByWrites.includes(name))
    .sort(([one], [other]) => byCodeUnit(one, other));
  const { version, controlPlaneVersion } = fieldsOf(status);
  return JSON.stringify(
    { uid, labels, annotations, finalizers, spec, version, controlPlaneVersion },
    sortedFields,
  );
}

function metadataText({ kind, metadata }: KubernetesObject): string {
  const { name, uid, generation, annotations = {} } = metadata;
  return JSON.stringify([kind, name, uid, generation, annotations], sortedFields);
}

/** Increases every `slowTickMs`, for each cluster at another time so that few are due at once. */
function slowTick({ metadata: { namespace, name } }: KubernetesObject, now: Date): number {
  const offset = Number.parseInt(hash("sha256", `${namespace}/${name}`).slice(0, 8), 16) % slowTickMs;
  return Math.floor((now.getTime() + offset) / slowTickMs);
}

function basisFingerprint(basis: Basis, now: Date): string {
  const { hostedCluster, mode, controlPlane } = basis;
  const texts = [
    mode,
    slowTick(hostedCluster, now),
    hostedClusterText(hostedCluster),
    // In own mode, the plan cannot know the generation that the control plane's objects have after its writes.
    ...(mode === "verify" ? controlPlane.map(metadataText) : []).sort(byCodeUnit),
  ];
  return hash("sha256", JSON.stringify(texts)).slice(0, 16);
}

/**
 * Returns the annotation that records the basis of a decision. At the time `due`, the decision is repeated. After an
 * incomplete read, the annotation is empty, so that every tick repeats the decision.
 */
export function decidedFrom(
  basis: Basis,
  { now, due, isComplete }: Readonly<{ now: Date; due?: Date | undefined; isComplete: boolean }>,
): Readonly<Record<string, string>> {
  const text = due ? `${basisFingerprint(basis, now)} ${timestamp(due)}` : basisFingerprint(basis, now);
  return { [decidedFromAnnotation]: isComplete ? text : "" };
}

/** Reports whether the Event records a decision from this basis, and the decision need not be repeated yet. */
export function isDecidedFrom(basis: Basis, event: KubernetesObject, now: Date): boolean {
  const recorded = ownValue(event.metadata.annotations, decidedFromAnnotation) ?? "";
  const [fingerprint, due] = recorded.split(" ");
  return (
    fingerprint === basisFingerprint(basis, now) && (due === undefined || Date.parse(due) > now.getTime())
  );
}

/** Returns the Event about the mirrors of a cluster, which also records the basis of this decision. */
export function mirrorsEvent(context: Context, { actions, requeueAt }: PartialPlan): ObjectEvent {
  const { cluster, controlPlane, findings, hubOverrides, mode, now, payload } = context;
  const [hostedCluster = cluster.object] = afterUpdates([cluster.object], actionsIn("hub", actions));
  const { hostedControlPlane, operator, overridesReaders } = controlPlane;
  const inControlPlane = [hostedControlPlane, operator, ...overridesReaders];
  const basis = {
    hostedCluster,
    mode,
    controlPlane: inControlPlane.filter((object) => object !== undefined),
  };
  const isComplete = payload.state !== "unknown" && findings.state !== "incomplete";
  const event = mirrorFingerprintEvent(cluster, hubOverrides, repositoriesIn(payload));
  return {
    ...event,
    memory: { ...event.memory, ...decidedFrom(basis, { now, due: requeueAt, isComplete }) },
  };
}
