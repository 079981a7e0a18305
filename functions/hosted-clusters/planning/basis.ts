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
 * The longest time between two reconciles of a hosted cluster, in ms. Only a reconcile reads guests, Secrets and
 * registries, since no list shows them. The time is shorter than the three hours for which OpenShift keeps an Event.
 */
export const slowTickMs = 165 * 60_000;

/** The part of a decision's input that a tick can list for all hosted clusters at once. */
export type Basis = Readonly<{
  /** The hosted cluster as it is after the plan's writes, so that these do not count as changes. */
  hostedCluster: KubernetesObject;
  mode: "own" | "verify";
  /** The HostedControlPlane, and Deployments with overrides. Only metadata is compared, and only in verify mode. */
  controlPlane: readonly KubernetesObject[];
}>;

/** Annotation of the Event about a hosted cluster's mirrors; its value has the hash of the last decision's basis. */
const decidedFromAnnotation = "hubrelay.dev/decided-from";

/** Sorts the fields of an object for JSON.stringify, as an API server does when it stores the object. */
const sortedFields = (_name: string, value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => byCodeUnit(one, other)))
    : value;

/** Annotations that are added during a write, after the plan. */
const addedByWrites: readonly string[] = [correlationAnnotation, outcomesAnnotation];

/** Returns the fields of a hosted cluster that decisions depend on, as text; without conditions, which change often. */
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

/** Returns a number that increases every `slowTickMs`, at another time for each cluster, so few are due at once. */
function slowTick({ metadata: { namespace, name } }: KubernetesObject, now: Date): number {
  const offset = Number.parseInt(hash("sha256", `${namespace}/${name}`).slice(0, 8), 16) % slowTickMs;
  return Math.floor((now.getTime() + offset) / slowTickMs);
}

/** Returns the hash of a basis and of `slowTick`, so that objects that no list shows are read again regularly. */
function basisFingerprint(basis: Basis, now: Date): string {
  const { hostedCluster, mode, controlPlane } = basis;
  const texts = [
    mode,
    slowTick(hostedCluster, now),
    hostedClusterText(hostedCluster),
    // The control plane counts only in verify mode: in own mode, a plan cannot know the generations after its writes.
    ...(mode === "verify" ? controlPlane.map(metadataText) : []).sort(byCodeUnit),
  ];
  return hash("sha256", JSON.stringify(texts)).slice(0, 16);
}

/**
 * Returns the annotation that records two things: the basis of a decision, and the time at which the decision is due
 * again. After an incomplete read the annotation is empty, so that every tick repeats the decision.
 */
export function decidedFrom(
  basis: Basis,
  { now, due, isComplete }: Readonly<{ now: Date; due?: Date | undefined; isComplete: boolean }>,
): Readonly<Record<string, string>> {
  const text = due ? `${basisFingerprint(basis, now)} ${timestamp(due)}` : basisFingerprint(basis, now);
  return { [decidedFromAnnotation]: isComplete ? text : "" };
}

/** Reports whether the Event records a decision that has this basis and is not due yet. */
export function isDecidedFrom(basis: Basis, event: KubernetesObject, now: Date): boolean {
  const recorded = ownValue(event.metadata.annotations, decidedFromAnnotation) ?? "";
  const [fingerprint, due] = recorded.split(" ");
  return (
    fingerprint === basisFingerprint(basis, now) && (due === undefined || Date.parse(due) > now.getTime())
  );
}

/**
 * Returns the Event about the cluster's mirrors, which records the basis of this decision: a tick reconciles the cluster
 * only when the basis has changed. Registries that did not respond are queried at every tick.
 */
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
