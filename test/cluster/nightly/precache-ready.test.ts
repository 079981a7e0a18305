import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { jobName } from "#shared/domain/precache-start/work/workload-objects.ts";
import { createObject } from "../../support/hub/create-object.ts";
import { anUpgrade, aPolicy, aWantedRelease } from "../../support/precache/precache-plan-objects.ts";
import { aReleaseMirror } from "../../support/ready/ready-fleet.ts";
import { hubrelay } from "../../system/cli.ts";
import { followUpgrade } from "../support/clusters/followed-upgrade.ts";
import { startHub, type TestHub } from "../support/clusters/hub.ts";
import { type ManagedCluster, startManagedCluster } from "../support/clusters/managed-cluster.ts";
import { type Precaching, startPrecaching } from "../support/clusters/precaching.ts";
import { createNamespace } from "../support/manifests/apply-manifests.ts";
import { untilGone, untilObject } from "../support/observe/until.ts";
import { endPodsOf, jobKind } from "../support/servers/kubelet.ts";

const cluster = "sno1";
const identity = { name: "upgrade", namespace: "ztp" };
const key = "ztp/upgrade";
const onCluster = "openshift-talo-pre-cache";
const lost = "openshift/release:part2";

let server: TestHub;
let hub: KubernetesHub;
let managed: ManagedCluster;
let api: KubernetesHub;
let system: Precaching;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
  server = await startHub();
  cleanup.defer(() => server.stop());
  hub = cleanup.adopt(kubernetesHub(server.admin.kubeConfig), (opened) => opened.close());
  const claims = { "controlplanetopology.openshift.io": "SingleReplica", "version.openshift.io": "4.19.4" };
  managed = await startManagedCluster(server, cluster, { labels: { vendor: "OpenShift" }, claims });
  cleanup.defer(() => managed.stop());
  api = cleanup.adopt(kubernetesHub(managed.admin.kubeConfig), (opened) => opened.close());
  for (const name of [identity.namespace, "policies"]) await createNamespace(server.api, name);
  system = cleanup.use(await startPrecaching(server));
});
afterAll(() => cleanup.disposeAsync());

/** Runs a command as a person at the hub does. */
const asPerson = (...args: readonly string[]) =>
  hubrelay(args, { variables: { KUBECONFIG: server.admin.kubeConfigFile } });

const untilReadiness = (ready: string) =>
  untilObject(hub, kinds.ReadinessReport, identity, (report) => report.ready === ready);

/** Writes a report as if its images had been checked five minutes ago: a tick checks again what is missing. */
async function passFiveMinutes(): Promise<void> {
  const report = await untilReadiness("False");
  const earlier = (at: string) => new Date(Date.parse(at) - 5 * 60_000).toISOString();
  const images = Object.entries(Object(report.images)).map(([image, record]) => [
    image,
    { ...Object(record), at: earlier(Object(record).at) },
  ]);
  await hub.update({ ...report, images: Object.fromEntries(images) });
}

async function outcomes(): Promise<readonly string[]> {
  const found: string[] = [];
  for (;;) {
    const messages = await system.messaging.queue("outcomes").receive({ waitSeconds: 1 });
    if (messages.length === 0) return found;
    for (const { body } of messages) {
      const { type, subject } = JSON.parse(body);
      if (type.startsWith("dev.hubrelay.precache.")) found.push(`${type.split(".").at(-1)} ${subject}`);
    }
  }
}

test("When a mirror lacks an image, the upgrade should wait, say which, and start when the image is mirrored", async () => {
  const mirror = await aReleaseMirror(3);
  const missing = mirror.nameOf(2);
  const image = mirror.held.get(lost);
  mirror.held.delete(lost);
  const followed = followUpgrade(server, hub, identity);
  const release = aWantedRelease({ desiredUpdate: { version: "4.20.4", image: mirror.platformImage } });
  const upgrade = anUpgrade(
    { clusters: [cluster] },
    { annotations: { "hubrelay.dev/require-ready": "true" } },
  );
  for (const object of [
    ...mirror.objects,
    aPolicy("platform", [release], { [cluster]: "NonCompliant" }),
    upgrade,
  ])
    await createObject(hub, object);

  const notReady = `1 of 4 images are not ready for the managed clusters: ${missing}: missing.`;
  const report = await untilReadiness("False");
  expect(report).toMatchObject({ reason: "ImagesNotReady", message: notReady });
  const lastCondition = async () => (await followed.conditions()).at(-1);
  await expect.poll(lastCondition).toBe(`PrecacheImagesReady False ImagesNotReady: ${notReady}`);
  expect(await followed.shown()).toEqual(["ImagesNotReady", notReady]);
  const events = await hub.list(kinds.Event, { namespace: identity.namespace });
  expect(events.map(({ reason, message }) => `${reason}: ${message}`)).toContain(
    `ImagesNotReady: ${notReady}`,
  );
  const held = await asPerson("precache", "status", key);
  expect(held).toMatchObject({ exitCode: 0, stderr: "" });
  expect(held.stdout).toMatch(/^ {2}Ready: no, 1 of 4 images is missing \(checked \d+s ago\)$/m);
  expect(held.stdout).toContain(`\n    ${missing}: missing\n`);
  const details = await asPerson("ready", "--cgu", key);
  expect(details.exitCode).toBe(1);
  expect(details.stdout).toContain(missing);
  expect(await hub.list(kinds.ManifestWork)).toEqual([]);

  if (image) mirror.held.set(lost, image);
  await passFiveMinutes();
  await system.resync();
  await untilReadiness("True");
  await followed.until((states) => states[cluster] === "Active");
  const job = { name: jobName(await followed.runFor(cluster)), namespace: onCluster };
  const isActive = ({ status }: KubernetesObject) => Object(status).active > 0;
  await untilObject(api, jobKind, job, isActive);
  const started = await asPerson("precache", "status", key);
  expect(started.stdout).toMatch(
    /^ {2}Ready: yes, all 4 images are ready for the managed clusters \(checked \S+ ago\)$/m,
  );
  expect(await asPerson("ready", "--cgu", key)).toMatchObject({ exitCode: 0 });
  expect(await followed.shown()).toEqual(["InProgress", "Precaching in progress for 1 clusters"]);

  await endPodsOf(managed, job, { phase: "Succeeded" });
  const cgu = await followed.until((states) => states[cluster] === "Succeeded");
  await hub.delete(referenceTo(cgu));
  await untilGone(hub, kinds.ReadinessReport, identity);
  await expect.poll(() => hub.list(kinds.Event, { namespace: identity.namespace })).toEqual([]);
  expect((await outcomes()).toSorted()).toEqual(["finished ztp/upgrade", "images-not-ready ztp/upgrade"]);
  expect(system.lines().filter(({ event }) => event === "failed" || event === "dead-lettered")).toEqual([]);
});
