import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { foreignMachineConfig, mcoAnnotation, release } from "../../hub/mirror-config-hub.ts";
import {
  aClusterVersion,
  aDigestMirrorSet,
  anImageConfig,
  aPool,
  aTagMirrorSet,
  aVerifiedPool,
} from "../../hub/objects.ts";
import { settledFunction } from "../scenarios.ts";
import type { Recorder, Story } from "../story.ts";

const builtIn = { "machineconfiguration.openshift.io/mco-built-in": "" };
const name = "99-worker-generated-registries";
const mirror = (path: string) => `registry.hub.example.com:8443/${path}`;
const digests = aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: [mirror("acme")] }]);
const base = [anImageConfig(), aClusterVersion(), aPool("worker"), release];

async function newMirrors(trace: Recorder) {
  trace.scenario("A team adds an ImageDigestMirrorSet");
  const system = await settledFunction(trace, mirrorConfig, base);
  system.hub.put(digests);
  await system.batch();
  return system;
}

async function invalidBesideValid(trace: Recorder) {
  trace.scenario("One rule of an ImageTagMirrorSet is invalid, the other valid");
  const system = await settledFunction(trace, mirrorConfig, base);
  const rules = [
    { source: "quay.io/acme/csi:v1", mirrors: [mirror("csi")] },
    { source: "quay.io/acme/app", mirrors: [mirror("app")] },
  ];
  system.hub.put(aTagMirrorSet("storage", rules));
  await system.batch();
  return system;
}

async function lostRace(trace: Recorder) {
  trace.scenario(
    "Another writer changes the MachineConfig after the read, and the team removes its mirrors again",
  );
  let rival: (() => void) | undefined;
  const fault = (request: string) => {
    if (request === "update MachineConfig") rival?.();
    return undefined;
  };
  const system = await settledFunction(trace, mirrorConfig, base, { fault });
  rival = () => {
    rival = undefined;
    const present = system.hub.find(kinds.MachineConfig, name);
    if (present) system.hub.put({ ...present, metadata: { ...present.metadata, finalizers: ["acme"] } });
    system.hub.put({ ...digests, spec: {} });
  };
  system.hub.put(digests);
  await system.batch();
  return system;
}

async function forgedMessages(trace: Recorder) {
  trace.scenario("Messages that say nothing true: no such object, not a kind of this function, not an event");
  const system = await settledFunction(trace, mirrorConfig, base);
  system.notify("delete", { ...kinds.ImageDigestMirrorSet, name: "never-existed" });
  system.notify("update", { ...kinds.ConfigMap, namespace: "default", name: "settings" });
  system.send('{"specversion":"1.0","type":"com.example.order","source":"shop","id":"1","data":{}}');
  await system.batch();
  return system;
}

async function drift(trace: Recorder) {
  trace.scenario("machine-config-operator owns the MachineConfig and does not follow");
  const outdated = foreignMachineConfig(mcoAnnotation, []);
  const system = await settledFunction(trace, mirrorConfig, [
    anImageConfig(),
    aClusterVersion(),
    aVerifiedPool("worker"),
    outdated,
  ]);
  system.hub.put(release);
  await system.batch();
  system.pass(90);
  trace.say("90 s later the MachineConfig is still the old one.");
  await system.batch();
  return system;
}

async function waitsForWindow(trace: Recorder) {
  trace.scenario("A change drains nodes, and the pool allows that only in a maintenance window");
  const limited: KubernetesObject = aPool("worker", {
    labels: builtIn,
    annotations: { "hubrelay.dev/max-cost": "reload" },
  });
  const night = windowObject({
    timeZone: "UTC",
    schedule: "10 2 * * *",
    allow: { maxCost: { worker: "drain" } },
  });
  const system = await settledFunction(trace, mirrorConfig, [...base.slice(0, 2), release, limited, night]);
  system.hub.put(aTagMirrorSet("apps", [{ source: "quay.io/apps", mirrors: [mirror("apps")] }]));
  await system.batch();
  system.pass(600);
  trace.say("Ten minutes later the window opens.");
  await system.batch();
  return system;
}

export const mirrorConfigStory: Story = {
  controller: mirrorConfig,
  introduction:
    "Mirrors, registry sources and the release become the registries MachineConfig of every built-in pool.",
  options: { maxChanges: 8 },
  scenarios: [newMirrors, invalidBesideValid, lostRace, forgedMessages, drift, waitsForWindow],
};
