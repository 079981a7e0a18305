import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { overridesTextOf } from "#functions/hosted-clusters/planning/desired.ts";
import { traceKinds } from "#shared/domain/hosted-clusters/disabled-capabilities/expected-objects.ts";
import { pullSecretsOff } from "#shared/domain/hosted-clusters/disabled-capabilities/settings.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import {
  aWorldOf,
  controlPlaneOf,
  guestClusterVersion,
  inMemory,
  type World,
} from "../../support/hosted-clusters/hosted-cluster-hub.ts";
import { interleave, schedules, untilWon } from "../../support/hub/interleave.ts";
import { aDigestMirrorSet } from "../../support/hub/objects.ts";
import { type Step, stepped } from "../../support/hub/stepped.ts";
import { countRun, times } from "../../support/setup/soak.ts";

const key = "clusters/shop";
const rule = (mirror: string) => [
  { source: "quay.io/openshift-release-dev/ocp-release", mirrors: [`${mirror}/release`] },
];

function deliver({ ports, guest }: World, step: Step): Promise<unknown> {
  const own = stepped(guest, step);
  const racing = {
    ...ports,
    hub: stepped(ports.hub, step),
    external: { ...ports.external, guests: { open: async () => own, opened: () => own } },
  };
  return untilWon(() => reconcile(hostedClusters, key, racing));
}

const registry = (managementState: string): KubernetesObject => ({
  apiVersion: traceKinds.RegistryConfig.apiVersion,
  kind: traceKinds.RegistryConfig.kind,
  metadata: { name: "cluster" },
  spec: { managementState },
});
const managerConfig: KubernetesObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "openshift-controller-manager-config", namespace: "clusters-shop" },
  data: { "config.yaml": "{}" },
};

/** Each edit has its own mirror: a value that is changed back cannot be distinguished from an unchanged one. */
let edits = 0;

/**
 * A person moves the mirror of the release for the control plane and the nodes, and in the guest the registry's own
 * configuration removes it or restores it.
 */
async function edit({ hub, guest }: ReturnType<typeof inMemory>, index: number): Promise<void> {
  guest.put(registry(index % 2 === 0 ? "Managed" : "Removed"));
  const mirrors = await hub.get(kinds.ImageDigestMirrorSet, "ocp");
  if (!mirrors) throw new Error("the mirror set of this test is gone");
  const sources = rule(`m${++edits}.example.com`);
  await hub.update({ ...mirrors, spec: { imageDigestMirrors: sources } });
  const cluster = await hub.get(kinds.HostedCluster, "shop", "clusters");
  if (!cluster) throw new Error("the hosted cluster of this test is gone");
  await hub.update({ ...cluster, spec: { ...Object(cluster.spec), imageContentSources: sources } });
}

test("When two or three reconciles race with edits, none should leave an outdated result, on hub or guest", async () => {
  const hostedCluster = aHostedCluster();
  const apis = inMemory(
    [
      hostedCluster,
      ...controlPlaneOf(hostedCluster),
      managerConfig,
      aDigestMirrorSet("ocp", rule("m0.example.com")),
    ],
    [guestClusterVersion(), registry("Managed")],
  );
  const world = aWorldOf(apis);
  try {
    const races = fc.integer({ min: 2, max: 3 }).chain((events) => schedules(events, 60 * events));
    await fc.assert(
      fc.asyncProperty(races, async (schedule) => {
        countRun("reconciles that race with edits");
        const events = schedule.priorities.map((index) => async (step: Step) => {
          await step(() => edit(apis, index + 1));
          await deliver(world, step);
        });
        await interleave(events, schedule);
        const { hub, now, external } = world.ports;
        expect((await hostedClusters.plan({ hub, key, now: now(), external })).actions).toEqual([]);
        const mirrors = await world.hub.get(kinds.ImageDigestMirrorSet, "ocp");
        const wanted = Object(mirrors?.spec).imageDigestMirrors;
        const inGuest = await world.guest.get(kinds.ImageDigestMirrorSet, "cluster");
        expect(Object(inGuest?.spec).imageDigestMirrors).toEqual(wanted);
        const config = await world.guest.get(traceKinds.RegistryConfig, "cluster");
        const manager = await world.hub.get(kinds.ConfigMap, managerConfig.metadata.name, "clusters-shop");
        const { controllers = [] } = parse(Object(manager?.data)["config.yaml"]);
        expect(controllers.includes(pullSecretsOff)).toBe(Object(config?.spec).managementState === "Removed");
        const operator = await world.hub.get(kinds.Deployment, "control-plane-operator", "clusters-shop");
        expect(operator && overridesTextOf(operator)).toBe(`${wanted[0].source}=${wanted[0].mirrors[0]}`);
      }),
      { numRuns: times({ ci: 20, soak: 200 }) },
    );
  } finally {
    await world.close();
  }
}, 300_000);
