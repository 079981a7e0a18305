import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { precachePlan } from "#functions/precache-plan/controller.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import { forwardChanges } from "#shared/runtime/forward.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { paths } from "../../infra/paths.ts";
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
import { asNew } from "./support/observe/as-new.ts";

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

  async function create(object: KubernetesObject): Promise<void> {
    const stored = await hub.create(asNew(object));
    if (object.status !== undefined) await hub.updateStatus({ ...stored, status: object.status });
  }

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
      await create(object);
    const hinted: string[] = [];
    const queueNamed = (name: string) =>
      sendingQueue(name, async (messages: readonly { body: string }[]) => {
        for (const { body } of messages) hinted.push(JSON.parse(body).data.cluster);
      });
    const ports = {
      hub,
      outcomes: { publish: async () => undefined },
      log: () => undefined,
      now,
      queueNamed,
    };
    await reconcile(precachePlan, "ztp/upgrade", ports);

    expect(hinted).toEqual(["sno1", "sno2"]);
    const { status } = (await hub.get(kinds.ClusterGroupUpgrade, "upgrade", "ztp")) ?? {};
    expect(Object(status).precaching).toEqual({
      spec: { platformImage: releaseImage, additionalImages: [userImage], spaceRequired: "30" },
      clusters: ["sno1", "sno2"],
    });
    const again = await precachePlan.plan(hub, "ztp/upgrade", now());
    expect(again.actions).toEqual([]);

    const table = await server.api.send({
      what: "get cgu",
      method: "GET",
      path: "/apis/ran.openshift.io/v1alpha1/namespaces/ztp/clustergroupupgrades",
      accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
    });
    const { columnDefinitions, rows } = Object(table);
    expect(columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      "Name",
      "Age",
      "State",
      "Details",
    ]);
    expect(rows[0].cells.slice(2)).toEqual(["InProgress", "Precaching is required and not done"]);
  });

  test("When annotations request something else, the event should say so, and a status event should not", async () => {
    const events: { kind: string; name: string; resourceVersion: string; feedback?: unknown }[] = [];
    const waiters = new Set<() => void>();
    const queue = (name: string) =>
      sendingQueue(name, async (messages: readonly { body: string }[]) => {
        for (const { body } of messages) events.push(JSON.parse(body).data);
        for (const check of waiters) check();
      });
    /** The report of this version of the upgrade, as soon as it exists. */
    const feedbackOf = ({ metadata }: KubernetesObject) =>
      new Promise<unknown>((resolve) => {
        const check = () => {
          const found = events.find(({ resourceVersion }) => resourceVersion === metadata.resourceVersion);
          if (found) resolve(found.feedback);
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
    expect(await feedbackOf(asked)).toEqual({ wishes: true });
    const { precaching, ...others } = Object(asked.status);
    const status = { ...others, precaching: { ...precaching, status: { sno1: "Active" } } };
    expect(await feedbackOf(await hub.updateStatus({ ...asked, status }))).toBeUndefined();
  });

  test("When a field has another type than the API, it should be refused, as TALM's own kinds refuse it", async () => {
    const maps = aPreCachingConfig(
      { overrides: { operatorsPackagesAndChannels: [{ "ptp-operator": "stable" }] } },
      { name: "maps" },
    );
    await expect(create(maps)).rejects.toMatchObject({
      code: "Invalid",
      message: expect.stringContaining("operatorsPackagesAndChannels[0]"),
    });
    const { remediationStrategy: _none, ...spec } = Object(anUpgrade().spec);
    const without = { ...anUpgrade({}, { name: "without" }), spec };
    await expect(create(without)).rejects.toMatchObject({ code: "Invalid" });
  });
});
