import { decide as decideMirrors } from "#functions/mirror-config/decide.ts";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { nodePaths } from "#shared/domain/openshift/machine-config/node-file.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { checked, ended } from "../../../cli/simulation/reported-status.ts";
import {
  aWorld,
  catalogTags,
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
  imageStreams,
  olmMirror,
  type World,
} from "../hosted-clusters/hosted-cluster-hub.ts";
import {
  afterwards,
  aHub,
  foreignMachineConfig,
  mcoAnnotation,
  release,
  storage,
} from "../hub/mirror-config-hub.ts";
import { aDigestMirrorSet, anImageConfig, aPool, aTagMirrorSet } from "../hub/objects.ts";
import { aManagedCluster, anUpgrade, aPolicy, aWantedRelease } from "../precache/precache-plan-objects.ts";
import { aPlannedUpgrade, precacheSystem } from "../precache/precache-system.ts";
import { aWindow, until } from "../precache/precache-windows.ts";
import { precachingPorts } from "../precache/precaching-ports.ts";
import { heldFleet } from "../ready/ready-fleet.ts";
import { outcomesOf } from "./outcomes-of.ts";

const minute = 60_000;
const mirror = "mirror.example.com/acme";

/** Every change of the file's content that has a form of its own, every reason to wait, and errors. */
function ofMirrorConfig(): readonly OutcomeEvent[] {
  const labels = { "machineconfiguration.openshift.io/mco-built-in": "" };
  const limited = aPool("worker", { labels, annotations: { "hubrelay.dev/max-cost": "reload" } });
  const tags = aTagMirrorSet("tags", [{ source: "quay.io/acme", mirrors: [mirror] }]);
  const image = anImageConfig({ blockedRegistries: ["docker.io"] });
  const first = aHub({ pools: [aPool("worker")], mirrorObjects: [release, storage] });
  const written = afterwards(first, decideMirrors(first));
  const foreign = aHub({
    pools: [aPool("worker")],
    machineConfigs: [foreignMachineConfig(mcoAnnotation, [])],
  });
  const late = new Date(foreign.now.getTime() + 2 * minute);
  const others = {
    path: nodePaths.registriesConf,
    mode: 0o644,
    contents: 'unqualified-search-registries = ["quay.io"]\n',
  };
  const searching = renderMachineConfig({ pool: "worker", files: [others], annotations: mcoAnnotation });
  const refused = aHub({
    pools: [aPool("worker")],
    machineConfigs: [foreignMachineConfig(mcoAnnotation)],
    mirrorObjects: [release, storage],
  });
  return [
    first,
    { ...written, mirrorObjects: [tags], image },
    { ...written, mirrorObjects: [release, tags], pools: [limited] },
    foreign,
    { ...afterwards(foreign, decideMirrors(foreign)), now: late },
    aHub({ pools: [aPool("worker")], machineConfigs: [searching] }),
    refused,
  ].flatMap((snapshot) => outcomesOf(decideMirrors(snapshot)));
}

async function during(
  world: World,
  act: (world: World) => Promise<unknown>,
): Promise<readonly OutcomeEvent[]> {
  try {
    await act(world);
    return world.outcomes;
  } finally {
    await world.close();
  }
}

const catalogImage = "hypershift.openshift.io/redhat-operators-catalog-image";

/** A hosted cluster that hubrelay writes, one that drifts, and an invalid one. */
async function ofHostedClusters(): Promise<readonly OutcomeEvent[]> {
  const handedOver = { "hubrelay.dev/olm-catalogs": "from-mirrors" };
  const mirrors = aDigestMirrorSet("olm", [
    { source: "registry.redhat.io/redhat", mirrors: [olmMirror] },
    { source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["m.example.com/release"] },
  ]);
  const owned = aHostedCluster({ metadata: { annotations: handedOver } });
  const own = await aWorld([owned, ...controlPlaneOf(owned), imageStreams, mirrors], [guestClusterVersion()]);
  for (const [image, digest] of Object.entries(catalogTags(olmMirror, "v4.20", 1)))
    own.tags.set(image, digest);
  const beside = (annotations: Readonly<Record<string, string>>, overrides: string) => {
    const hostedCluster = aHostedCluster({
      metadata: { finalizers: [hypershiftFinalizer], annotations },
    });
    const controlPlane = controlPlaneOf(hostedCluster, { overrides });
    return aWorld([hostedCluster, ...controlPlane], [guestClusterVersion()]);
  };
  return [
    ...(await during(own, (world) => world.settle("clusters/shop"))),
    ...(await during(await beside({}, "quay.io=old.example.com"), async (world) => {
      await world.settle("clusters/shop");
      world.clock.now = new Date(world.clock.now.getTime() + 60 * minute);
      await world.settle("clusters/shop");
    })),
    ...(await during(await beside({ [catalogImage]: "m.example/redhat:v4.20" }, "="), (world) =>
      world.settle("clusters/shop"),
    )),
  ];
}

/** An upgrade that is planned. */
async function ofPrecachePlan(): Promise<readonly OutcomeEvent[]> {
  const now = new Date("2026-03-01T02:00:00Z");
  const hub = memoryHub({ id: "urn:test:hub", now: () => now });
  const policy = aPolicy("platform", [aWantedRelease()]);
  for (const object of [aManagedCluster("sno1"), aManagedCluster("sno2"), policy, anUpgrade()])
    hub.put(object);
  const plan = await precachePlan.plan({ hub, key: "ztp/upgrade", now, external: precachingPorts });
  return outcomesOf(plan);
}

/** Clusters that end in every way. */
async function ofPrecaching(): Promise<readonly OutcomeEvent[]> {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(["sno1", "sno2", "sno3"], { timeout: 60 }));
  await system.settle();
  system.report(ended("succeeds"), ["sno1"]);
  system.report(ended("fails"), ["sno2"]);
  await system.settle();
  for (const hours of [2, 5]) {
    system.pass(hours * 3600);
    system.resync();
    await system.settle();
  }
  return system.outcomes;
}

/** A cluster that has lost images before an opening. */
async function ofCheck(): Promise<readonly OutcomeEvent[]> {
  const system = precacheSystem();
  system.hub.put(aWindow("night", { allow: { preCaching: false }, clusterSelector: undefined }));
  const annotations = {
    "hubrelay.dev/check-before": "12h",
    "hubrelay.dev/enable-after-precaching": "window=night",
  };
  system.plan(aPlannedUpgrade(["sno1"], { annotations }));
  await system.settle();
  system.report(ended("succeeds"));
  await system.settle();
  await until(system, "2026-03-02T14:00:00Z");
  system.pass(60);
  system.reportCheck(checked(3));
  await system.settle();
  return system.outcomes;
}

/** Images that a mirror does not have. */
async function ofReadiness(): Promise<readonly OutcomeEvent[]> {
  const fleet = heldFleet();
  fleet.lose(1);
  await fleet.finish();
  return fleet.outcomes;
}

/** Returns what the functions send in situations that together bring every type of outcome event, several times. */
export async function everyOutcome(): Promise<readonly OutcomeEvent[]> {
  return [
    ...ofMirrorConfig(),
    ...(await ofHostedClusters()),
    ...(await ofPrecachePlan()),
    ...(await ofPrecaching()),
    ...(await ofCheck()),
    ...(await ofReadiness()),
  ];
}
