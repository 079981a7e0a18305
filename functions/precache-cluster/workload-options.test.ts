import { describe, expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { claimed, recorded, succeeded } from "../../test/support/precache/cluster-snapshots.ts";
import { aManagedCluster } from "../../test/support/precache/precache-plan-objects.ts";
import { aStoredUpgrade } from "../../test/support/precache/precache-snapshots.ts";
import { start } from "../../test/support/precache/precache-system.ts";
import { decide } from "./decide.ts";

/** The container of the workload that a plan creates. */
const containerIn = ({ actions }: Plan) => {
  const manifests = actions.flatMap(({ object }) => Object(object.spec).workload?.manifests ?? []);
  const job = manifests.find(({ kind }: KubernetesObject) => kind === "Job");
  return job.spec.template.spec.containers[0];
};
/** The environment of the workload that a plan creates. */
const environmentIn = (plan: Plan): Readonly<Record<string, string>> => {
  const { env } = containerIn(plan);
  return Object.fromEntries(env.map(({ name, value }: Record<string, string>) => [name, value]));
};

describe("the options of the workload", () => {
  const slow = { annotations: { "hubrelay.dev/bandwidth": "20" } };
  const config: KubernetesObject = {
    ...kinds.PreCachingConfig,
    metadata: {
      namespace: "default",
      name: "config",
      annotations: { "hubrelay.dev/bandwidth": "50", "hubrelay.dev/parallel-pulls": "3" },
    },
  };

  test("When bandwidth and parallel pulls are set, the workload should get them, the upgrade's before its configuration's", () => {
    const cgu = aStoredUpgrade(["sno1"], slow);
    expect(environmentIn(decide(recorded(claimed, { cgu, config })))).toMatchObject({
      PULL_BANDWIDTH_MBITS: "20",
      PULL_PARALLEL: "3",
    });
    expect(environmentIn(decide(recorded(claimed, { config })))).toMatchObject({
      PULL_BANDWIDTH_MBITS: "50",
    });
  });

  test("When a site has a bandwidth, its clusters should get that", () => {
    const annotations = { "hubrelay.dev/site-label": "site", "hubrelay.dev/bandwidth": "a=30" };
    const cgu = aStoredUpgrade(["sno1"], { annotations });
    const managedClusters = [aManagedCluster("sno1", { labels: { site: "a" } })];
    expect(environmentIn(decide(recorded(claimed, { cgu, managedClusters })))).toMatchObject({
      PULL_BANDWIDTH_MBITS: "30",
    });
  });

  test.for([
    { what: "run", record: claimed },
    { what: "check", record: { ...succeeded, check: { started: start.toISOString(), attempt: 1 } } },
  ])(
    "When the deployment has no workload image, no $what should start, whatever image the upgrade records",
    ({ record }) => {
      const annotations = { "hubrelay.dev/workload-image": "quay.io/acme/workload:1" };
      const cgu = aStoredUpgrade(["sno1"], { annotations });
      const { planning } = noExternalPorts;
      expect(decide(recorded(record, { cgu, planning })).actions).not.toEqual([]);
      const plan = decide(recorded(record, { cgu, planning: { ...planning, isOff: true } }));
      expect(plan.decisions).toMatchObject([
        { verdict: "wait", reason: expect.stringContaining("HUBRELAY_WORKLOAD_IMAGE") },
      ]);
      expect(plan.actions).toEqual([]);
    },
  );

  test.for([
    { profile: "hardened", runs: "registry.lab/hubrelay/workload@sha256:5" },
    { profile: "standard", runs: "quay.io/evil/rootkit:1" },
  ] as const)(
    "When a tenant annotates another image in profile $profile, $runs should run",
    ({ profile, runs }) => {
      const annotations = { "hubrelay.dev/workload-image": "quay.io/evil/rootkit:1" };
      const workloadImage = "registry.lab/hubrelay/workload@sha256:5";
      const planning = { ...noExternalPorts.planning, profile, workloadImage };
      const plan = decide(recorded(claimed, { cgu: aStoredUpgrade(["sno1"], { annotations }), planning }));
      expect(containerIn(plan).image).toBe(runs);
    },
  );
});
