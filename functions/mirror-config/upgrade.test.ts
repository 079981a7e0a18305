import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors, type MirrorOptions } from "#shared/domain/mirrors/configuration.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { verifiedWorker } from "../../test/support/hub/mirror-config-cases.ts";
import {
  afterwards,
  aHub,
  idlePolicy,
  mcoAnnotation,
  release,
  verdicts,
  written,
} from "../../test/support/hub/mirror-config-hub.ts";
import { aClusterVersion, anImageConfig, aPool } from "../../test/support/hub/objects.ts";
import { decide } from "./decide.ts";
import type { Snapshot } from "./observe.ts";

/* An upgrade from 4.18 to 4.20: each release writes the same content with other bytes. */

const completed = (version: string) => ({ state: "Completed", version });
const partial = (version: string) => ({ state: "Partial", version });

/** The hub's ClusterVersion, which desires the newest of its history. */
function clusterVersionWith(history: readonly Readonly<{ version: string }>[]): KubernetesObject {
  const { status, ...object } = aClusterVersion();
  return { ...object, status: { ...Object(status), history } };
}

const policiesOf = (version: string): readonly KubernetesObject[] => {
  const apiVersion = version < "4.20" ? "config.openshift.io/v1alpha1" : "config.openshift.io/v1";
  const namespaced = {
    ...idlePolicy,
    kind: "ImagePolicy",
    metadata: { ...idlePolicy.metadata, namespace: "shop" },
    spec: { ...Object(idlePolicy.spec), scopes: ["quay.io/shop"] },
  };
  return [
    { ...idlePolicy, apiVersion },
    { ...namespaced, apiVersion },
  ];
};

const image = anImageConfig({ containerRuntimeSearchRegistries: ["registry.example.com"] });

/** The hub while its API server serves what this release serves. */
function hubOf(version: string, history: readonly Readonly<{ version: string }>[]): Snapshot {
  return aHub({
    pools: [aPool("worker")],
    image,
    mirrorObjects: [release, ...policiesOf(version)],
    clusterVersion: clusterVersionWith(history),
  });
}

function machineConfigOf(version: string, options: MirrorOptions): KubernetesObject {
  const clusterVersion = clusterVersionWith([completed(version)]);
  const objects = [release, ...policiesOf(version)];
  const { files, ignition } = configureMirrors({ objects, image, clusterVersion }, options);
  const rendered = renderMachineConfig({
    pool: "worker",
    files,
    image,
    ignition,
    annotations: mcoAnnotation,
  });
  return { ...rendered, metadata: { ...rendered.metadata, resourceVersion: "7" } };
}

/** Each moment of the upgrade: what the history says, what the API server serves, whose bytes the MachineConfig has. */
const moments: readonly [
  when: string,
  history: readonly Readonly<{ version: string }>[],
  serves: string,
  writes: string,
][] = [
  ["before it", [completed("4.18.9")], "4.18", "4.18"],
  ["4.19 begins", [partial("4.19.2"), completed("4.18.9")], "4.18", "4.18"],
  ["4.19's operator runs", [partial("4.19.2"), completed("4.18.9")], "4.19", "4.19"],
  ["4.19 is reached", [completed("4.19.2"), completed("4.18.9")], "4.19", "4.19"],
  ["4.20's API server runs", [partial("4.20.1"), completed("4.19.2")], "4.20", "4.19"],
  ["4.20's operator runs", [partial("4.20.1"), completed("4.19.2")], "4.20", "4.20"],
  ["4.20 is reached", [completed("4.20.1"), completed("4.19.2")], "4.20", "4.20"],
];

describe("upgrade", () => {
  test("When releases write the same objects, their bytes should differ", () => {
    const bytes = ["4.16", "4.17", "4.18", "4.19"].map((version) =>
      JSON.stringify(machineConfigOf(version, { isStored: true })),
    );
    expect(new Set(bytes).size).toBe(bytes.length);
  });

  test.for(moments)(
    "When machine-config-operator writes, and $0, there should be no drift",
    ([, history, serves, writes]) => {
      const machineConfigs = [machineConfigOf(writes, { isStored: true })];
      const plan = decide({ ...hubOf(serves, history), pools: verifiedWorker, machineConfigs });
      expect(verdicts(plan)).toEqual(["99-worker-generated-registries in agreement"]);
      expect(written(plan)).toEqual([]);
    },
  );

  test("When hubrelay writes, it should write once, and nothing in any moment of the upgrade", () => {
    const [[, before, served] = expect.fail("no moments")] = moments;
    const empty = hubOf(served, before);
    const first = decide(empty);
    expect(verdicts(first)).toEqual(["99-worker-generated-registries create"]);
    const { machineConfigs } = afterwards(empty, first);
    for (const [, history, serves] of moments) {
      const plan = decide({ ...hubOf(serves, history), machineConfigs });
      expect([...verdicts(plan), ...written(plan)]).toEqual(["99-worker-generated-registries unchanged"]);
    }
  });

  test.for(["4.18", "4.19", "4.20"])(
    "When the operator of %s wrote the MachineConfig, taking it over should keep every byte of its files",
    (version) => {
      const { metadata, ...rest } = machineConfigOf(version, { isStored: true });
      const { annotations: _, ...unowned } = metadata;
      const hub = {
        ...hubOf(version, [completed(version)]),
        machineConfigs: [{ ...rest, metadata: unowned }],
      };
      const plan = decide(hub);
      expect(plan.actions.map(({ verb, object }) => [verb, object.spec])).toEqual([["update", rest.spec]]);
      expect(plan.decisions[0]?.reason).toContain("a node's cost: none");
    },
  );

  test("When nodes of 4.18 cannot read the version of Ignition, it should be written again", () => {
    const hub = hubOf("4.18", [completed("4.18.9")]);
    const { machineConfigs } = afterwards(hub, decide(hub));
    const [own] = machineConfigs;
    if (!own) return expect.fail("nothing was written");
    const config = { ...Object(own.spec).config, ignition: { version: "3.5.0" } };
    const newer = { ...own, spec: { ...Object(own.spec), config } };
    expect(decide({ ...hub, machineConfigs: [newer] }).actions.map(({ object }) => object.spec)).toEqual([
      own.spec,
    ]);
  });

  test("When no release is known, it should say which was assumed", () => {
    const machineConfigs = [machineConfigOf("4.20", { isStored: true })];
    const { decisions } = decide({ ...hubOf("4.20", []), pools: verifiedWorker, machineConfigs });
    expect(decisions[0]?.reason).toContain("(no release is known: the form of 5.1 is assumed)");
  });
});
