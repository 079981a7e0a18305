import { expect, test } from "vitest";
import { decide } from "#functions/precache-cluster/decide.ts";
import type { Snapshot } from "#functions/precache-cluster/observe.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { workName } from "#shared/domain/precache-model/work-identity.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { aStoredUpgrade, reportsFor, runOfUpgrade, workFor } from "./precache-snapshots.ts";
import { start } from "./precache-system.ts";

/** The hub as read for messages about all clusters of this upgrade. */
export function aSnapshot(cgu: KubernetesObject | undefined, changes: Partial<Snapshot> = {}): Snapshot {
  const clusters: readonly string[] = Object(cgu?.status).precaching?.clusters ?? [];
  return {
    now: start,
    cgu,
    clusters,
    reports: [],
    config: undefined,
    others: [],
    managedClusters: [],
    works: [],
    planning: noExternalPorts.planning,
    ...changes,
  };
}

export const one = aStoredUpgrade(["sno1"]);
/** The hub with this record of sno1. */
export const recorded = (
  record: Partial<ClusterRecord>,
  { cgu = one, ...changes }: Partial<Snapshot> = {},
): Snapshot => aSnapshot(cgu, { reports: reportsFor(cgu, { sno1: record }), ...changes });

/** The record of a cluster that has a slot. */
export const claimed = { state: "PreparingToStart", reason: "Claimed" } as const;
/** Records of clusters whose run is in progress, or has ended. */
export const active = { state: "Active", reason: "Pulling" } as const;
export const succeeded = { state: "Succeeded", reason: "Completed" } as const;

/** The name of the ManifestWork of an attempt. */
export const nameOf = (cgu: KubernetesObject, attempt?: number) => workName(runOfUpgrade(cgu, attempt));
export const running = workFor(one, "sno1");

const steps = ({ decisions }: Plan) =>
  decisions.map(({ subject, verdict, reason }) => `${subject} ${verdict}: ${reason}`);
export const written = ({ actions }: Plan) =>
  actions.map(({ verb, object }) =>
    [verb, object.kind, object.metadata.namespace, object.metadata.name].join(" "),
  );

export type Case = Readonly<{
  name: string;
  snapshot: Snapshot;
  steps: readonly string[];
  written?: readonly string[];
}>;

/** Tests what is decided and written in each case, and that the hub accepts all of it as done afterwards. */
export function testSteps(cases: readonly Case[]): void {
  test.for(cases)("$name", ({ snapshot, ...expected }) => {
    const plan = decide(snapshot);
    expect(steps(plan)).toEqual(expected.steps);
    expect(written(plan)).toEqual(expected.written ?? []);
    expect(plan).toMatchObject({ issues: [] });
    expect(plan.sends ?? []).toEqual([]);
  });

  test.for(cases)("$name; and again only what the hub accepts as done", ({ snapshot }) => {
    const { actions } = decide(snapshot);
    const updated = actions.flatMap(({ verb, object }) => (verb === "update" ? [object] : []));
    const again = decide({ ...snapshot, works: updated.length > 0 ? updated : snapshot.works });
    expect(again.actions.every(({ accepts }) => accepts !== undefined)).toBe(true);
  });
}
