import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import type { Hub } from "#shared/ports/hub.ts";
import { aPlannedUpgrade } from "../support/precache/precache-system.ts";
import { because } from "../support/setup/skipped-tests.ts";
import type { Lab } from "./support/network/lab.ts";
import { thinAddresses, whyNoThinLink } from "./support/network/thin-link.ts";
import { startCluster } from "./support/node/kubelet.ts";
import { runFunctions } from "./support/node/running-functions.ts";
import { makeWorkloadNode } from "./support/node/workload.ts";
import { pushed } from "./support/registries/content.ts";
import { test } from "./support/test.ts";

const minute = 60_000;
const windowMs = 20_000;
const links = Object.keys(thinAddresses);
/** The images' own registry, which no site reaches: each site has its own mirror behind a thin link. */
const origin = "quay.lan";

async function someImages(lab: Lab, count: number): Promise<readonly string[]> {
  const images: string[] = [];
  for (let number = 0; number < count; number++) {
    const layers = [240, 140, 70].map((kilobytes, index) => [
      { path: `layer${index}`, content: randomBytes(1000 * kilobytes) },
    ]);
    const image = await pushed(lab, `plain.lan/app/image${number}`, layers);
    images.push(image.replace("plain.lan", origin));
  }
  return images;
}

/** What hubrelay renders for a site with this mirror. */
function mirroredBy(mirror: string): string {
  const { registriesConf } = configureMirrors({
    template: "unqualified-search-registries = []\n",
    image: {
      apiVersion: "config.openshift.io/v1",
      kind: "Image",
      metadata: { name: "cluster" },
      spec: { registrySources: { insecureRegistries: [mirror] } },
    },
    objects: [
      {
        apiVersion: "config.openshift.io/v1",
        kind: "ImageDigestMirrorSet",
        metadata: { name: "site" },
        spec: { imageDigestMirrors: [{ source: `${origin}/app`, mirrors: [`${mirror}/app`] }] },
      },
    ],
  });
  return registriesConf;
}

/** Twenty seconds at the start of every minute. */
const night: KubernetesObject = {
  apiVersion: kinds.MaintenanceWindow.apiVersion,
  kind: kinds.MaintenanceWindow.kind,
  metadata: { namespace: "default", name: "night" },
  spec: { schedule: "* * * * *", timeZone: "UTC", duration: "20s", clusterSelector: {} },
};

/** The planned upgrade with only this content, and no report from any cluster yet. */
function upgradeOf(clusters: readonly string[], images: readonly string[]): KubernetesObject {
  const upgrade = aPlannedUpgrade(clusters);
  const spec = { additionalImages: images, spaceRequired: "0" };
  const { conditions } = Object(upgrade.status);
  return { ...upgrade, status: { conditions, precaching: { spec, clusters } } };
}

/** Checks again whenever an object of this kind changes; throws the reason of `failed` as soon as there is one. */
async function until(hub: Hub, kind: Kind, failed: AbortSignal, isSo: () => Promise<boolean>): Promise<void> {
  const found = new AbortController();
  for await (const _ of hub.watch([kind], AbortSignal.any([found.signal, failed])))
    if (await isSo()) found.abort();
  failed.throwIfAborted();
}

test.skipIf(whyNoThinLink !== "")(
  "When three clusters pull over thin links in windows of seconds, each should be cached after some nights, inside its windows, and each image once",
  { timeout: 15 * minute, ...because(whyNoThinLink) },
  async ({ lab }) => {
    await using cleanup = new AsyncDisposableStack();
    const images = await someImages(lab, 10);
    const hub = openDirectoryHub(await lab.folder());
    cleanup.defer(() => hub.close());
    const stop = new AbortController();
    const failure = new AbortController();
    const onTrouble = (error: unknown) => failure.abort(error);
    const clusters = await Promise.all(
      links.map(async (mirror, index) => {
        const name = `sno${index + 1}`;
        const port = String(8011 + index);
        const api = cleanup.use(await lab.program("node/node-api.ts", [port]));
        cleanup.use(await lab.thin(mirror, 1.5));
        const node = await makeWorkloadNode(lab, { registriesConf: mirroredBy(mirror), threshold: 95 });
        const { apiVersion, kind } = kinds.ManagedCluster;
        await hub.create({ apiVersion, kind, metadata: { name } });
        const environment = {
          API_SERVER: `http://127.0.0.1:${port}`,
          POD_NAMESPACE: "openshift-talo-pre-cache",
          PROGRESS_CONFIGMAP: "pre-cache-progress",
          PROGRESS_PAUSE: "3",
          // The link's own limit would allow one at a time only.
          PULL_PARALLEL: "3",
        };
        const cluster = startCluster({ hub, name, node, api, environment, signal: stop.signal, onTrouble });
        return { name, mirror, node, cluster };
      }),
    );
    cleanup.defer(async () => {
      stop.abort();
      await Promise.all(clusters.map(({ cluster }) => cluster.ended));
    });
    cleanup.use(await runFunctions(hub, onTrouble));
    const names = clusters.map(({ name }) => name);
    await hub.create(night);
    const { status, ...upgrade } = upgradeOf(names, images);
    const cgu = await hub.create(upgrade);

    const isOver = (object: KubernetesObject) =>
      Object(object.status).conditions?.some(
        ({ type, status }: Record<string, string>) => type === "PrecachingSuceeded" && status === "True",
      ) === true;
    const { requests } = await lab.during(async () => {
      await hub.updateStatus({ ...cgu, status });
      await until(hub, kinds.ClusterGroupUpgrade, failure.signal, async () => {
        const object = await hub.get(kinds.ClusterGroupUpgrade, cgu.metadata.name, cgu.metadata.namespace);
        return object !== undefined && isOver(object);
      });
    });

    const present = await hub.get(kinds.ClusterGroupUpgrade, cgu.metadata.name, cgu.metadata.namespace);
    const logs = clusters.flatMap(({ cluster }) => cluster.finished.map(({ log }) => log)).join("\n");
    expect(Object(present?.status).precaching.status, logs).toEqual(
      Object.fromEntries(names.map((name) => [name, "Succeeded"])),
    );
    for (const { name, mirror, node, cluster } of clusters) {
      expect(await node.images(), name).toEqual([...images].sort());
      expect(cluster.suspended.length, `${name} was suspended`).toBeGreaterThan(0);
      const own = requests.filter(({ registry }) => registry === mirror);

      // Every request of a night has been answered when its pod has ended, seconds after the window's end.
      const nightOf = (at: Date) => Math.floor(at.getTime() / minute);
      const endOf = (night: number) =>
        [...cluster.suspended, ...cluster.finished].find(({ at }) => nightOf(at) === night)?.at;
      for (const { at } of [...cluster.suspended, ...cluster.finished])
        expect(at.getTime() % minute, name).toBeLessThan(2 * windowMs);
      const outside = own.filter(({ at }) => at > (endOf(nightOf(at)) ?? new Date(0)));
      expect(outside, name).toEqual([]);

      for (const { at, images: there } of cluster.suspended) {
        const complete = there.map((image) => image.slice(origin.length, image.indexOf("@")));
        const again = own.filter(
          (request) => request.at > at && complete.some((path) => request.path.startsWith(`/v2${path}/`)),
        );
        expect(again, name).toEqual([]);
      }
    }
    await until(
      hub,
      kinds.ManifestWork,
      failure.signal,
      async () => (await hub.list(kinds.ManifestWork)).length === 0,
    );
  },
);
