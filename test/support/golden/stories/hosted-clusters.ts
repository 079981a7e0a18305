import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  aWorldOf,
  catalogTags,
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
  imageStreams,
  inMemory,
  type World,
} from "../../hosted-clusters/hosted-cluster-hub.ts";
import { pair, release, rightVersion, sources } from "../../hosted-clusters/hosted-cluster-worlds.ts";
import { aDigestMirrorSet } from "../../hub/objects.ts";
import { settledFunction } from "../scenarios.ts";
import type { Recorder, Story } from "../story.ts";

/** What is outside of the hub: the guest of the hosted cluster, and a registry with its catalogs. */
function outside(guest: readonly KubernetesObject[]): World {
  const world = aWorldOf(inMemory([], guest));
  for (const [image, digest] of Object.entries(catalogTags("registry.redhat.io/redhat", "v4.20", 1)))
    world.tags.set(image, digest);
  return world;
}

/** A hub whose hosted cluster is written by hubrelay, with the catalogs of its release already in place. */
async function owned(trace: Recorder, cluster = aHostedCluster()) {
  const world = outside([guestClusterVersion()]);
  const objects = [imageStreams, ...controlPlaneOf(cluster), cluster];
  const system = await settledFunction(trace, hostedClusters, objects, world.ports);
  return { system, world, ran: { ...system, guest: world.guest } };
}

/** A hub where HyperShift writes, with a mirror that it has passed on. */
async function besideHyperShift(
  trace: Recorder,
  annotations: Readonly<Record<string, string>> = {},
  more: readonly KubernetesObject[] = [],
) {
  const cluster = aHostedCluster({ metadata: { finalizers: [hypershiftFinalizer], annotations } });
  const objects = [
    cluster,
    ...more,
    ...controlPlaneOf(cluster, { overrides: pair }),
    aDigestMirrorSet("ocp", [release]),
  ];
  return settledFunction(trace, hostedClusters, objects, outside([rightVersion]).ports);
}

async function mirrors(trace: Recorder) {
  trace.scenario("A HostedCluster gets mirrors");
  const { system, world, ran } = await owned(trace);
  await system.change(aHostedCluster({ spec: { imageContentSources: sources } }));
  await system.batch();

  trace.scenario("The same, while its API does not respond");
  world.isGuestDead.value = true;
  await system.change(aHostedCluster({ spec: { imageContentSources: [] } }));
  await system.batch();
  return ran;
}

async function lateCapability(trace: Recorder) {
  trace.scenario("A capability is disabled after the control plane was created");
  const { system, ran } = await owned(trace);
  await system.change(aHostedCluster({ spec: { capabilities: { disabled: ["ImageRegistry"] } } }));
  await system.batch();
  return ran;
}

async function notPassedOn(trace: Recorder) {
  trace.scenario("HyperShift owns the cluster and does not pass on a mirror");
  const beside = await besideHyperShift(trace);
  const another = {
    source: "quay.io/openshift-release-dev/ocp-v4.0-art-dev",
    mirrors: ["m.corp.example/ocp/art"],
  };
  beside.hub.put(aDigestMirrorSet("art", [another]));
  await beside.batch();
  await beside.batch();
  beside.pass(1800);
  trace.say("Half an hour later it has still not done so.");
  await beside.batch();
  return beside;
}

async function unaffected(trace: Recorder) {
  trace.scenario("A mirror that affects no hosted cluster");
  const beside = await besideHyperShift(trace);
  beside.hub.put(
    aDigestMirrorSet("other", [{ source: "docker.io/library", mirrors: ["m.corp.example/library"] }]),
  );
  await beside.batch();
  return beside;
}

export const hostedClustersStory: Story = {
  controller: hostedClusters,
  introduction:
    "The hub's mirrors and a HostedCluster become what its control plane and its own API hold; " +
    "beside HyperShift they are compared.",
  options: { maxChanges: 4 },
  scenarios: [mirrors, lateCapability, notPassedOn, unaffected],
};
