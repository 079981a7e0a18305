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
 * The longest time between two reconciles of a hosted cluster: what no list of the hub shows, such as its guest, Secrets and
 * registries, is read again by then. Shorter than the three hours for which OpenShift keeps an Event.
 */
export const slowTickMs = 165 * 60_000;

/** What a tick can list for all hosted clusters at once of what a decision about one of them is derived from. */
export type Basis = Readonly<{
  /** As the plan leaves it: hubrelay's own writes are no change. */
  hostedCluster: KubernetesObject;
  mode: "own" | "verify";
  /** Its HostedControlPlane and the Deployments with its overrides. Only their metadata counts, and only in verify mode. */
  controlPlane: readonly KubernetesObject[];
}>;

/** On the Event about a hosted cluster's mirrors. */
const decidedFromAnnotation = "hubrelay.dev/decided-from";

/** An API server sorts the fields of what it stores. */
const sortedFields = (_name: string, value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => byCodeUnit(one, other)))
    : value;

/** What a write adds to its object, which no plan knows. */
const addedByWrites: readonly string[] = [correlationAnnotation, outcomesAnnotation];

/** The conditions are left out: no decision depends on them, and they change often. */
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

/** Slow ticks of different hosted clusters are spread over their interval, so that each tick names a few. */
function slowTick({ metadata: { namespace, name } }: KubernetesObject, now: Date): number {
  const offset = Number.parseInt(hash("sha256", `${namespace}/${name}`).slice(0, 8), 16) % slowTickMs;
  return Math.floor((now.getTime() + offset) / slowTickMs);
}

/** Returns the fingerprint of a basis. It changes with each slow tick, so that whatever is not listed is read again. */
function basisFingerprint(basis: Basis, now: Date): string {
  const { hostedCluster, mode, controlPlane } = basis;
  const texts = [
    mode,
    slowTick(hostedCluster, now),
    hostedClusterText(hostedCluster),
    // What hubrelay writes itself has a generation that no plan knows.
    ...(mode === "verify" ? controlPlane.map(metadataText) : []).sort(byCodeUnit),
  ];
  return hash("sha256", JSON.stringify(texts)).slice(0, 16);
}

/**
 * Returns the annotation that records what a decision was derived from, and the time at which it is due again. A decision
 * without something that should have been read has no basis: every tick repeats it.
 */
export function decidedFrom(
  basis: Basis,
  { now, due, isComplete }: Readonly<{ now: Date; due?: Date | undefined; isComplete: boolean }>,
): Readonly<Record<string, string>> {
  const text = due ? `${basisFingerprint(basis, now)} ${timestamp(due)}` : basisFingerprint(basis, now);
  return { [decidedFromAnnotation]: isComplete ? text : "" };
}

/** Reports whether the Event records a decision from this basis, which is not due yet. */
export function isDecidedFrom(basis: Basis, event: KubernetesObject, now: Date): boolean {
  const recorded = ownValue(event.metadata.annotations, decidedFromAnnotation) ?? "";
  const [fingerprint, due] = recorded.split(" ");
  return (
    fingerprint === basisFingerprint(basis, now) && (due === undefined || Date.parse(due) > now.getTime())
  );
}

/**
 * Returns the Event about the cluster's mirrors, which records what this decision was derived from: a tick reconciles the
 * cluster only when that has changed. What only registries know is read again at every tick until they respond.
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
