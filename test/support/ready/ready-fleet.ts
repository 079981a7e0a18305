import { maintenanceWindow } from "#functions/maintenance-window/controller.ts";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheReady } from "#functions/precache-ready/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { hubEvent } from "#shared/domain/plan/hub-event.ts";
import { fleetStatus } from "#shared/domain/precache-progress/fleet/fleet-status.ts";
import { withReadiness } from "#shared/domain/ready/record/fleet-readiness.ts";
import type { ExternalPorts } from "#shared/ports/external-ports.ts";
import type { Controller } from "#shared/runtime/controller.ts";
import { aDigestMirrorSet, anImageConfig } from "../hub/objects.ts";
import { type Around, aPlannedUpgrade, precacheSystem } from "../precache/precache-system.ts";
import { heldImage, heldRegistry, heldRelease } from "../servers/held-registry.ts";

const publisher = "quay.io/openshift-release-dev";
const served: readonly Controller[] = [precacheReady, precacheStatus, precacheCluster, maintenanceWindow];

/** The rules by which nodes pull releases from this mirror only. */
function rulesOf(host: string): KubernetesObject {
  const rules = [
    { source: `${publisher}/ocp-release`, mirrors: [`${host}/openshift/release-images`] },
    { source: `${publisher}/ocp-v4.0-art-dev`, mirrors: [`${host}/openshift/release`] },
  ];
  return aDigestMirrorSet(
    "release",
    rules.map((rule) => ({ ...rule, mirrorSourcePolicy: "NeverContactSource" })),
  );
}

type FreshRegistry = ExternalPorts["freshRegistry"];

/** A mirror in memory, with the release of so many images, and the functions of pre-caching on a hub that names it. */
export function heldFleet({
  around = (ports) => ports,
  components = 3,
  windows = [],
  version = "4.20.4",
}: Readonly<{
  around?: Around;
  components?: number;
  windows?: readonly KubernetesObject[];
  version?: string;
}> = {}) {
  const { registry, images, asked, lostBlobs, fail } = heldRegistry();
  const parts = Array.from({ length: components }, (_, index) => heldImage({ content: `${index}` }));
  const nameOf = (index: number) => `${publisher}/ocp-v4.0-art-dev@${parts[index]?.digest}`;
  const release = heldRelease(
    parts.map((_, index) => nameOf(index)),
    version,
  );
  const host = "mirror.lan:8443";
  const hold = (index: number) => {
    const image = parts[index];
    if (image) images.set(`${host}/openshift/release:part${index}`, image);
  };
  images.set(`${host}/openshift/release-images:4.20.4`, release);
  for (const index of parts.keys()) hold(index);
  const mirror = {
    objects: [rulesOf(host), anImageConfig()],
    platformImage: `${publisher}/ocp-release@${release.digest}`,
  };
  return {
    ...readyFleet(mirror, windows, registry, around),
    mirror,
    images,
    asked,
    lostBlobs,
    fail,
    hold,
    lose: (index: number) => images.delete(`${host}/openshift/release:part${index}`),
    nameOf,
  };
}

/** The functions of pre-caching on a hub with this mirror and an upgrade that requires its images to be ready. */
function readyFleet(
  mirror: Readonly<{ objects: readonly KubernetesObject[]; platformImage: string }>,
  others: readonly KubernetesObject[],
  freshRegistry: FreshRegistry,
  around: Around,
) {
  const annotations = { "hubrelay.dev/require-ready": "true" };
  const system = precacheSystem(undefined, served, (ports, ...batch) =>
    around({ ...ports, external: { ...ports.external, freshRegistry } }, ...batch),
  );
  for (const object of [...mirror.objects, ...others]) system.hub.put(object);
  system.plan(aPlannedUpgrade(["sno1", "sno2"], { platformImage: mirror.platformImage, annotations }));
  function notify(minutes: number, functions: readonly Controller[]): void {
    system.pass(minutes * 60);
    for (const cgu of system.hub.all(kinds.ClusterGroupUpgrade)) {
      const body = JSON.stringify(hubEvent("add", referenceTo(cgu), { source: "urn:test:hub" }));
      for (const { queue } of functions) system.deliver(queue, body);
    }
  }
  async function tick(minutes: number, functions: readonly Controller[]): Promise<void> {
    notify(minutes, functions);
    await system.settle();
  }

  return {
    ...system,
    /** The resync tick, some time later. */
    tickAfter: (minutes: number) => tick(minutes, [precacheReady, precacheStatus]),
    /** The same, before any function works. */
    notifyAfter: (minutes: number) => notify(minutes, [precacheReady]),
    /** The same, only for the check of images. */
    checkAfter: (minutes: number) => tick(minutes, [precacheReady]),
    /** Works until nothing is due, nor anything that follows within seconds. */
    async finish(): Promise<void> {
      await system.settle();
      for (let round = 0; round < 20; round++) {
        system.pass(2);
        await system.settle();
      }
    },
    readiness(name = "upgrade"): string {
      const { conditions = [] } = Object(system.upgrade(name)?.status);
      const found = conditions.find(({ type }: { type: string }) => type === "PrecacheImagesReady");
      return found ? `${found.status} ${found.reason}: ${found.message}` : "none";
    },
    /** What `hubrelay precache status` and the console show of it. */
    shown() {
      const cgu = system.upgrade();
      const status = cgu && fleetStatus(cgu, [], system.now());
      const reports = system.hub.all(kinds.ReadinessReport);
      return status && withReadiness(status, reports).readiness;
    },
    events: () =>
      system.hub.all(kinds.Event).map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
    outcomesAboutImages: () =>
      system.outcomes.filter(({ type }) => type.startsWith("dev.hubrelay.precache.images-")),
  };
}
