import { expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { ended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, precacheSystem } from "../support/precache/precache-system.ts";

const fleet = (count: number) => Array.from({ length: count }, (_, index) => `sno${index + 1}`);

test("When maxConcurrency is less than the fleet, at most that many should run, and each end should start the next", async () => {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(fleet(10), { maxConcurrency: 3 }));
  await system.settle();
  let ends = 0;
  while (system.works().length > 0) {
    expect(system.works().length).toBeLessThanOrEqual(3);
    const [work] = system.works();
    system.report(ended("succeeds"), [work?.metadata.namespace ?? ""]);
    await system.settle();
    ends++;
  }
  expect(ends).toBe(10);
  expect(system.condition()).toContain("PrecachingCompleted");
});

test("When bandwidths are given, the workload of each cluster should get that of its own link", async () => {
  const system = precacheSystem();
  const { apiVersion, kind } = kinds.ManagedCluster;
  for (const [name, site] of [
    ["sno1", "oslo"],
    ["sno2", "bergen"],
  ] as const)
    system.hub.put({ apiVersion, kind, metadata: { name, labels: { site } } });
  const bandwidthsOf = async (name: string, bandwidth: Readonly<Record<string, string>>) => {
    const annotations = { "hubrelay.dev/site-label": "site", ...bandwidth };
    system.plan(aPlannedUpgrade(["sno1", "sno2"], { name, annotations }));
    await system.settle();
    const bandwidthOf = ({ spec }: KubernetesObject) => {
      const job = Object(spec).workload.manifests.at(-1);
      return job.spec.template.spec.containers[0].env.find(
        ({ name: variable }: { name: string }) => variable === "PULL_BANDWIDTH_MBITS",
      )?.value;
    };
    const values = system.works().map(bandwidthOf);
    system.report(ended("succeeds"));
    await system.settle();
    return values;
  };
  expect(await bandwidthsOf("both", { "hubrelay.dev/bandwidth": "100,oslo=2.5" })).toEqual(["2", "100"]);
  expect(await bandwidthsOf("one", { "hubrelay.dev/bandwidth": "oslo=0.5" })).toEqual(["1", undefined]);
  expect(await bandwidthsOf("none", {})).toEqual([undefined, undefined]);
});

test("When parallel pulls are limited, each workload that starts should get the limit, whether the setting is valid or not", async () => {
  const system = precacheSystem();
  const limitOf = async (name: string, annotations: Readonly<Record<string, string>>) => {
    system.plan(aPlannedUpgrade(["sno1"], { name, annotations }));
    await system.settle();
    const [work] = system.works();
    const { env } = Object(work?.spec).workload.manifests.at(-1).spec.template.spec.containers[0];
    system.report(ended("succeeds"));
    await system.settle();
    return env.find(({ name: variable }: { name: string }) => variable === "PULL_PARALLEL")?.value;
  };
  expect(await limitOf("none", {})).toBeUndefined();
  expect(await limitOf("few", { "hubrelay.dev/parallel-pulls": "3" })).toBe("3");
  expect(await limitOf("wrong", { "hubrelay.dev/parallel-pulls": "lots" })).toBe("1");
});

test("When a site has a limit, its clusters should wait for each other and not for those of other sites", async () => {
  const system = precacheSystem();
  const { apiVersion, kind } = kinds.ManagedCluster;
  for (const [name, site] of [
    ["sno1", "north"],
    ["sno2", "north"],
    ["sno3", "south"],
  ] as const)
    system.hub.put({ apiVersion, kind, metadata: { name, labels: { site } } });
  const annotations = { "hubrelay.dev/site-label": "site", "hubrelay.dev/max-per-site": "1" };
  system.plan(aPlannedUpgrade(fleet(3), { annotations }));
  await system.settle();
  expect(Object.keys(system.states()).sort()).toEqual(["sno1", "sno3"]);
  system.report(ended("succeeds"), ["sno1"]);
  await system.settle();
  expect(system.states()).toMatchObject({ sno1: "Succeeded", sno2: "Starting" });
});

test("When a registry has a limit, all upgrades that pull from it should share it", async () => {
  const system = precacheSystem();
  const annotations = { "hubrelay.dev/max-per-registry": "quay.io=2" };
  system.plan(aPlannedUpgrade(["sno1", "sno2"], { name: "one", annotations }));
  await system.settle();
  system.plan(aPlannedUpgrade(["sno3"], { name: "two", annotations }));
  await system.settle();
  expect(system.works()).toHaveLength(2);
  expect(system.states("two")).toEqual({});
  const elsewhere = { name: "three", annotations, platformImage: "registry.example.com/release@sha256:1" };
  system.plan(aPlannedUpgrade(["sno4"], elsewhere));
  await system.settle();
  expect(system.states("three")).toEqual({ sno4: "Starting" });
});

test("When a limit is invalid, one cluster at a time should start", async () => {
  const system = precacheSystem();
  system.plan(
    aPlannedUpgrade(fleet(3), { annotations: { "hubrelay.dev/max-per-registry": "quay.io=many" } }),
  );
  await system.settle();
  expect(system.works()).toHaveLength(1);
});
