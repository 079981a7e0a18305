import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { isSuspended } from "#shared/domain/precache-start/work/manifest-work.ts";
import { jobName } from "#shared/domain/precache-start/work/workload-objects.ts";
import { createObject } from "../../support/hub/create-object.ts";
import { anUpgrade, aPolicy, aWantedRelease } from "../../support/precache/precache-plan-objects.ts";
import { hubrelay } from "../../system/cli.ts";
import { followUpgrade } from "../support/clusters/followed-upgrade.ts";
import { startHub, type TestHub } from "../support/clusters/hub.ts";
import { type ManagedCluster, startManagedCluster } from "../support/clusters/managed-cluster.ts";
import { type Precaching, startPrecaching } from "../support/clusters/precaching.ts";
import { createManifest, deleteManifest } from "../support/manifests/apply-manifests.ts";
import { readAuditLog } from "../support/observe/audit-log.ts";
import { everythingOn } from "../support/observe/everything.ts";
import { untilGone, untilObject } from "../support/observe/until.ts";
import { endPodsOf } from "../support/servers/kubelet.ts";

const cluster = "sno1";
const identity = { name: "upgrade", namespace: "ztp" };
const onCluster = "openshift-talo-pre-cache";
/** The slot is released after 90 seconds, and the deadline is half a minute later. */
const upgrade = anUpgrade({
  clusters: [cluster],
  remediationStrategy: { maxConcurrency: 1, timeout: 2 },
});
const patienceMs = 150_000;

/** An unrelated work: once the agent applies it, it has processed everything before. */
const mark: KubernetesObject = {
  apiVersion: kinds.ManifestWork.apiVersion,
  kind: kinds.ManifestWork.kind,
  metadata: { name: "mark", namespace: cluster },
  spec: {
    workload: {
      manifests: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "mark", namespace: "default" } }],
    },
  },
};

const namespace = (name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
});

describe("a cluster whose agent is off until the deadline has passed", () => {
  let server: TestHub;
  let hub: KubernetesHub;
  let managed: ManagedCluster;
  let system: Precaching;
  let followed: ReturnType<typeof followUpgrade>;
  let before: ReadonlySet<string>;
  const cleanup = new AsyncDisposableStack();

  beforeAll(async () => {
    server = await startHub();
    cleanup.defer(() => server.stop());
    hub = cleanup.adopt(kubernetesHub(server.admin.kubeConfig), (opened) => opened.close());
    followed = followUpgrade(server, hub, identity);
    const claims = {
      "controlplanetopology.openshift.io": "SingleReplica",
      "version.openshift.io": "4.19.4",
    };
    managed = await startManagedCluster(server, cluster, { labels: { vendor: "OpenShift" }, claims });
    cleanup.defer(() => managed.stop());
    before = await everythingOn(managed);
    await managed.disconnect();
    for (const name of [identity.namespace, "policies"]) await createManifest(server.api, namespace(name));
    system = cleanup.use(await startPrecaching(server));
  });
  afterAll(() => cleanup.disposeAsync());

  /** The Jobs that were ever created on the cluster. */
  async function jobs(): Promise<readonly string[]> {
    const audited = await readAuditLog(managed.auditLog);
    return audited
      .filter(({ resource, verb, status }) => resource === "jobs" && verb === "patch" && status === 201)
      .map(({ name }) => name);
  }
  /** Lists every kind: nothing may be left that did not exist before the upgrade. */
  async function nothingIsLeft(): Promise<void> {
    const left = async () => [...(await everythingOn(managed))].filter((one) => !before.has(one));
    await expect.poll(left, { timeout: 30_000 }).toEqual([]);
  }

  test(
    "When the agent does not connect, its Job should be suspended on the hub and its slot be free",
    async () => {
      for (const object of [aPolicy("platform", [aWantedRelease()], { [cluster]: "NonCompliant" }), upgrade])
        await createObject(hub, object);
      await followed.until((states) => states[cluster] === "Starting");
      const record = await followed.untilRecord(
        cluster,
        ({ state, reason }) => state === "NotStarted" && reason === "ClusterNotReached",
        patienceMs,
      );
      expect(record).toMatchObject({ message: expect.stringContaining("agent is unreachable") });
      const works = await hub.list(kinds.ManifestWork, { namespace: cluster });
      expect(works.map(isSuspended)).toEqual([true]);
      expect(works.map(({ status }) => status)).toEqual([undefined]);
    },
    patienceMs + 60_000,
  );

  test(
    "When the deadline passes on the hub, condition and report should say why, and its work be removed",
    async () => {
      await followed.until((states) => states[cluster] === "PrecacheTimeout", patienceMs);
      expect(await followed.untilRecord(cluster, ({ state }) => state === "PrecacheTimeout")).toMatchObject({
        reason: "ClusterNotReached",
        message: "The cluster's agent was unreachable for 2 min.",
        attempt: 1,
      });
      await expect
        .poll(async () => (await followed.conditions()).at(-1), { timeout: 30_000 })
        .toBe("PrecachingSuceeded False Failed: Precaching failed for all clusters");
      const works = async () => (await hub.list(kinds.ManifestWork, { namespace: cluster })).length;
      await expect.poll(works, { timeout: 30_000 }).toBe(0);
    },
    patienceMs + 60_000,
  );

  test("When it returns, nothing should start there, and nothing should be left", async () => {
    await managed.reconnect();
    const marked = await createManifest(server.api, mark);
    await untilObject(hub, kinds.ManifestWork, { name: "mark", namespace: cluster }, ({ status }) =>
      Object(status).conditions?.some(
        ({ type, status: is }: Record<string, string>) => type === "Applied" && is === "True",
      ),
    );
    await deleteManifest(server.api, marked);
    await untilGone(hub, kinds.ManifestWork, { name: "mark", namespace: cluster });
    await nothingIsLeft();
    expect(await jobs()).toEqual([]);
  });

  test("When it is retried, it should run as another attempt and end like any other", async () => {
    const variables = { KUBECONFIG: server.admin.kubeConfigFile };
    const { exitCode } = await hubrelay(["precache", "retry", "ztp/upgrade", "--failed"], { variables });
    expect(exitCode).toBe(0);
    await followed.until((states) => states[cluster] === "Active");
    const run = await followed.runFor(cluster);
    expect(run.attempt).toBe(2);
    await endPodsOf(managed, { namespace: onCluster, name: jobName(run) }, { phase: "Succeeded" });
    await followed.until((states) => states[cluster] === "Succeeded");
    await nothingIsLeft();
    expect(new Set(await jobs())).toEqual(new Set([jobName(run)]));
  });

  test("When all that is done, there should be one outcome for each failure and each end of the upgrade", async () => {
    const ends: string[] = [];
    for (;;) {
      const messages = await system.messaging.queue("outcomes").receive({ waitSeconds: 1 });
      if (messages.length === 0) break;
      for (const { body } of messages) {
        const { type, subject, data } = JSON.parse(body);
        if (type.startsWith("dev.hubrelay.precache."))
          ends.push(`${type.split(".").at(-1)} ${subject} ${data.reason}`);
      }
    }
    expect(ends.toSorted()).toEqual([
      "cluster-failed ztp/upgrade/sno1 ClusterNotReached",
      "finished ztp/upgrade Failed",
      "finished ztp/upgrade PrecachingCompleted",
    ]);
    expect(system.lines().filter(({ event }) => event === "failed" || event === "dead-lettered")).toEqual([]);
  });
});
