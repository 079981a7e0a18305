import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { HubError } from "#shared/ports/hub.ts";
import { forwardChanges } from "#shared/runtime/forwarder/forward.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { paths } from "../../infra/paths.ts";
import { createObject } from "../support/hub/create-object.ts";
import { quietPorts } from "../support/messages/quiet-ports.ts";
import { sendingQueue } from "../support/messages/sending-queue.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
  digestOf,
  releaseImage,
} from "../support/precache/precache-plan-objects.ts";
import { startHub, type TestHub } from "./support/clusters/hub.ts";
import { upgradeTable } from "./support/observe/upgrade-table.ts";

const now = () => new Date("2026-03-01T02:00:00Z");
const userImage = `quay.io/acme/app@${digestOf("1")}`;
const namespaces = ["ztp", "policies"].map((name) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
}));

describe("planning on a real API server, with the kinds of infra/crds/talm", () => {
  let server: TestHub;
  let hub: KubernetesHub;

  beforeAll(async () => {
    server = await startHub();
    hub = kubernetesHub(server.admin.kubeConfig);
    for (const namespace of namespaces)
      await server.api.send({
        what: "create Namespace",
        method: "POST",
        path: "/api/v1/namespaces",
        body: namespace,
      });
  });
  afterAll(async () => {
    hub.close();
    await server.stop();
  });

  test.for(["clustergroupupgrades", "precachingconfigs"])(
    "When %s are installed already, creating them should be refused and leave them unchanged",
    async (name) => {
      const body = parse(await readFile(join(paths.root, `infra/crds/talm/${name}.yaml`), "utf8"));
      const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const created = server.api.send({ what: `create ${name}`, method: "POST", path, body });
      await expect(created).rejects.toBeInstanceOf(HubError);
      await expect(created).rejects.toMatchObject({ code: "AlreadyExists" });
    },
  );

  test("When a ClusterGroupUpgrade is planned, its status should be kept whole and shown as TALM shows it", async () => {
    for (const object of [
      aPolicy("platform", [aWantedRelease()]),
      aManagedCluster("sno1"),
      aManagedCluster("sno2"),
      aPreCachingConfig({ additionalImages: [userImage], spaceRequired: "30Gi" }),
      anUpgrade({ preCachingConfigRef: { name: "config" } }),
    ])
      await createObject(hub, object);
    const named: string[] = [];
    const queueNamed = (name: string) =>
      sendingQueue(name, async (messages: readonly { body: string }[]) => {
        for (const { body } of messages) named.push(JSON.parse(body).data.cluster ?? "all");
      });
    const ports = {
      ...quietPorts(hub, now),
      queueNamed,
    };
    await reconcile(precachePlan, "ztp/upgrade", ports);

    const { status } = (await hub.get(kinds.ClusterGroupUpgrade, "upgrade", "ztp")) ?? {};
    expect(Object(status).precaching).toEqual({
      spec: { platformImage: releaseImage, additionalImages: [userImage], spaceRequired: "30" },
      clusters: ["sno1", "sno2"],
    });
    const again = await precachePlan.plan({ hub, key: "ztp/upgrade", now: now(), external: noExternalPorts });
    expect(again.actions).toEqual([]);
    await reconcile(precacheStatus, "ztp/upgrade", ports);
    expect(named).toEqual(["sno1", "sno2", "all"]);

    const { rows } = await upgradeTable(server.api, "ztp");
    expect(rows[0]?.slice(2)).toEqual(["InProgress", "Precaching in progress for 2 clusters"]);
  });

  test("When annotations change or pre-caching ends, an event should be sent, and none for progress in the status", async () => {
    const events: { resourceVersion: string }[] = [];
    const waiters = new Set<() => void>();
    const queue = (name: string) =>
      sendingQueue(name, async (messages: readonly { body: string }[]) => {
        for (const { body } of messages) events.push(JSON.parse(body).data);
        for (const check of waiters) check();
      });
    const isSent = ({ metadata }: KubernetesObject) =>
      events.some(({ resourceVersion }) => resourceVersion === metadata.resourceVersion);
    const untilSent = (object: KubernetesObject) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (isSent(object)) resolve();
        };
        waiters.add(check);
        check();
      });
    const stop = new AbortController();
    const synced = Promise.withResolvers<void>();
    const log = ({ event }: { event: string }) => event === "synced" && synced.resolve();
    const forwarding = forwardChanges({ hub, allWatches: [precachePlan], queue, signal: stop.signal, log });
    onTestFinished(async () => {
      stop.abort();
      await forwarding;
    });
    await synced.promise;

    const cgu = await hub.get(kinds.ClusterGroupUpgrade, "upgrade", "ztp");
    if (!cgu) throw new Error("the upgrade is gone");
    const annotations = { ...cgu.metadata.annotations, "hubrelay.dev/maintenance-window": "night" };
    const asked = await hub.update({ ...cgu, metadata: { ...cgu.metadata, annotations } });
    await untilSent(asked);
    const { precaching, conditions, ...others } = Object(asked.status);
    const states = { ...precaching, status: { sno1: "Active" } };
    const status = { ...others, conditions, precaching: states };
    const progress = await hub.updateStatus({ ...asked, status });
    const ended = [
      ...conditions.filter(({ type }: { type: string }) => type !== "PrecachingSuceeded"),
      {
        type: "PrecachingSuceeded",
        status: "True",
        reason: "PrecachingCompleted",
        message: "m",
        lastTransitionTime: "2026-03-01T02:00:00Z",
      },
    ];
    const done = await hub.updateStatus({ ...progress, status: { ...status, conditions: ended } });
    await untilSent(done);
    expect(isSent(progress)).toBe(false);
  });

  test("When a field has another type than the API, it should be refused, as TALM's own kinds refuse it", async () => {
    const maps = aPreCachingConfig(
      { overrides: { operatorsPackagesAndChannels: [{ "ptp-operator": "stable" }] } },
      { name: "maps" },
    );
    await expect(createObject(hub, maps)).rejects.toMatchObject({
      code: "Invalid",
      message: expect.stringContaining("operatorsPackagesAndChannels[0]"),
    });
    const { remediationStrategy: _none, ...spec } = Object(anUpgrade().spec);
    const without = { ...anUpgrade({}, { name: "without" }), spec };
    await expect(createObject(hub, without)).rejects.toMatchObject({ code: "Invalid" });
  });
});
