import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { jobName, progressName } from "#shared/domain/precache-start/work/workload-objects.ts";
import { createObject } from "../support/hub/create-object.ts";
import {
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
  digestOf,
  releaseImage,
} from "../support/precache/precache-plan-objects.ts";
import { hubrelay } from "../system/cli.ts";
import { startHub, type TestHub } from "./support/clusters/cluster.ts";
import {
  endPodsOf,
  everythingOn,
  followUpgrade,
  jobKind,
  statesOf,
  workloadOn,
} from "./support/clusters/followed-upgrade.ts";
import { type ManagedCluster, startManagedCluster } from "./support/clusters/managed-cluster.ts";
import { type Precaching, startPrecaching } from "./support/clusters/precaching.ts";
import { createManifest } from "./support/manifests/apply-manifests.ts";
import { readAuditLog, refusedRequests } from "./support/observe/audit-log.ts";
import { untilGone, untilObject } from "./support/observe/until.ts";

const names = ["sno1", "sno2", "sno3"] as const;
type Name = (typeof names)[number];

const name = "upgrade";
const ztp = "ztp";
const onCluster = "openshift-talo-pre-cache";
const application = `quay.io/foobar/application1@${digestOf("1")}`;
const index = "registry.example.com:5000/custom-redhat-operators:1.0.0";

/** What the user of the workflow in TALM's enhancement creates. */
const config = aPreCachingConfig(
  {
    overrides: {
      operatorsIndexes: [index],
      operatorsPackagesAndChannels: ["ptp-operator: stable"],
    },
    spaceRequired: "30Gi",
    excludePrecachePatterns: ["aws", "vsphere"],
    additionalImages: [application],
  },
  { name: "foobar" },
);
const upgrade = anUpgrade({ clusters: names, preCachingConfigRef: { name: "foobar", namespace: ztp } });
const policy = aPolicy("platform", [aWantedRelease()], {
  sno1: "NonCompliant",
  sno2: "NonCompliant",
  sno3: "NonCompliant",
});

const aWindow = (schedule: string, duration: string): KubernetesObject => ({
  apiVersion: kinds.MaintenanceWindow.apiVersion,
  kind: kinds.MaintenanceWindow.kind,
  metadata: { namespace: ztp, name: "nights" },
  spec: { schedule, timeZone: "UTC", duration, clusterSelector: {} },
});
const shut = aWindow("0 0 29 2 *", "1m");
const open = aWindow("* * * * *", "5m");

describe("a user's images on three single-node clusters, with OCM's work agent on each", () => {
  let server: TestHub;
  let hub: KubernetesHub;
  let system: Precaching;
  let followed: ReturnType<typeof followUpgrade>;
  const clusters = new Map<string, ManagedCluster>();
  const apis = new Map<string, KubernetesHub>();
  const before = new Map<string, ReadonlySet<string>>();
  const cleanup = new AsyncDisposableStack();

  function of<Value>(map: ReadonlyMap<string, Value>, cluster: Name): Value {
    const found = map.get(cluster);
    if (found === undefined) throw new Error(`${cluster} was not started`);
    return found;
  }

  beforeAll(async () => {
    server = await startHub();
    cleanup.defer(() => server.stop());
    hub = cleanup.adopt(kubernetesHub(server.admin.kubeConfig), (opened) => opened.close());
    followed = followUpgrade(server, hub, { name, namespace: ztp });
    const claims = {
      "controlplanetopology.openshift.io": "SingleReplica",
      "version.openshift.io": "4.19.4",
    };
    await Promise.all(
      names.map(async (cluster) => {
        const managed = await startManagedCluster(server, cluster, {
          labels: { vendor: "OpenShift" },
          claims,
        });
        cleanup.defer(() => managed.stop());
        clusters.set(cluster, managed);
        apis.set(
          cluster,
          cleanup.adopt(kubernetesHub(managed.admin.kubeConfig), (opened) => opened.close()),
        );
        before.set(cluster, await everythingOn(managed));
      }),
    );
    for (const namespace of [ztp, "policies"])
      await createManifest(server.api, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace },
      });
    system = cleanup.use(await startPrecaching(server));
  });
  afterAll(() => cleanup.disposeAsync());

  const untilJob = async (cluster: Name, isWanted: (job: KubernetesObject) => boolean) =>
    untilObject(
      of(apis, cluster),
      jobKind,
      { name: jobName(await followed.runFor(cluster)), namespace: onCluster },
      isWanted,
    );
  const isActive = ({ status }: KubernetesObject) => Object(status).active > 0;
  async function endJob(cluster: Name, phase: "Succeeded" | "Failed"): Promise<void> {
    const job = { namespace: onCluster, name: jobName(await followed.runFor(cluster)) };
    await endPodsOf(of(clusters, cluster), job, phase);
  }
  async function reportProgress(
    cluster: Name,
    progress: Parameters<Awaited<ReturnType<typeof workloadOn>>["report"]>[1],
  ) {
    await using workload = await workloadOn(of(clusters, cluster));
    expect(await workload.report(progressName(await followed.runFor(cluster)), progress)).toBe(200);
  }
  /** The Jobs that were ever created on a cluster. */
  async function jobsOn(cluster: Name): Promise<readonly string[]> {
    const audited = await readAuditLog(of(clusters, cluster).auditLog);
    const written = audited.filter(
      ({ resource, verb, status }) => resource === "jobs" && verb === "patch" && status === 201,
    );
    return written.map((event) => event.name);
  }

  test("When the user creates the ClusterGroupUpgrade, its spec should be valid and pre-caching start on all clusters at once", async () => {
    await of(clusters, "sno3").disconnect();
    for (const object of [policy, config, upgrade]) await createObject(hub, object);
    const cgu = await followed.until((states) => names.every((cluster) => states[cluster]));
    expect(await followed.conditions()).toEqual([
      "ClustersSelected True ClusterSelectionCompleted: All selected clusters are valid",
      "Validated True ValidationCompleted: Completed validation",
      "PrecacheSpecValid True PrecacheSpecIsWellFormed: Precaching spec is valid and consistent",
      expect.stringMatching(/^PrecachingSuceeded False InProgress: Precaching i/),
    ]);
    expect(Object(cgu.status).precaching.spec).toEqual({
      platformImage: releaseImage,
      operatorsIndexes: [index],
      operatorsPackagesAndChannels: ["ptp-operator: stable"],
      excludePrecachePatterns: ["aws", "vsphere"],
      additionalImages: [application],
      spaceRequired: "30",
    });
    await followed.until((states) => states.sno1 === "Active" && states.sno2 === "Active");
    expect(await followed.shown()).toEqual(["InProgress", "Precaching in progress for 3 clusters"]);
  });

  test("When the Jobs run, each cluster should have one, and the work of a cluster that is off should wait", async () => {
    const { spec } = await untilJob("sno1", isActive);
    const pod = Object(spec).template.spec;
    expect(pod.containers).toHaveLength(1);
    expect(pod.serviceAccountName).toBe("pre-cache-agent");
    const [waiting] = await hub.list(kinds.ManifestWork, { namespace: "sno3" });
    expect(waiting?.status).toBeUndefined();
    expect(await of(apis, "sno3").list(jobKind)).toEqual([]);
  });

  test("When the workload reports its progress, the hub should show it, and the workload should have no further permissions", async () => {
    await reportProgress("sno1", { imagesDone: "120", imagesTotal: "190", reason: "Pulling" });
    const record = await followed.untilRecord("sno1", ({ imagesDone }) => imagesDone === 120);
    expect(record).toMatchObject({ state: "Active", imagesTotal: 190, attempt: 1 });
    await using workload = await workloadOn(of(clusters, "sno1"));
    const run = await followed.runFor("sno1");
    for (const path of [
      "/api/v1/secrets",
      `/api/v1/namespaces/${onCluster}/configmaps`,
      `/apis/batch/v1/namespaces/${onCluster}/jobs/${jobName(run)}`,
    ])
      expect(await workload.get(path)).toBe(403);
  });

  test("When its maintenance window closes, running Jobs should be suspended without a failure, and resume when it opens", async () => {
    await createObject(hub, shut);
    for (const cluster of ["sno1", "sno2"] as const) {
      await untilJob(cluster, ({ status }) =>
        Object(status).conditions?.some(
          ({ type, status: is }: Record<string, string>) => type === "Suspended" && is === "True",
        ),
      );
      await followed.untilRecord(cluster, ({ reason }) => reason === "Suspended");
    }
    // Each cluster's changes are written as they come.
    const areSuspended = ({ sno1, sno2 }: Readonly<Record<string, string>>) =>
      sno1 !== "Active" && sno2 !== "Active";
    const { sno1, sno2 } = statesOf(await followed.until(areSuspended));
    expect([sno1, sno2]).toEqual(["Starting", "Starting"]);
    expect(await followed.shown()).toEqual(["InProgress", "Precaching in progress for 3 clusters"]);

    const stored = await hub.get(kinds.MaintenanceWindow, "nights", ztp);
    if (stored) await hub.update({ ...stored, spec: open.spec });
    await followed.until((states) => states.sno1 === "Active" && states.sno2 === "Active");
    await untilJob("sno1", isActive);
    // The counts that were reported before continue.
    expect(await followed.untilRecord("sno1", ({ state }) => state === "Active")).toMatchObject({
      imagesDone: 120,
    });
  });

  test("When a Job succeeds, the result should be reported, and then no object of hubrelay be left on that cluster", async () => {
    await reportProgress("sno1", { imagesDone: "190", imagesTotal: "190" });
    await endJob("sno1", "Succeeded");
    const { name: work } = (await hub.list(kinds.ManifestWork, { namespace: "sno1" }))[0]?.metadata ?? {};
    await followed.until((states) => states.sno1 === "Succeeded");
    if (work) await untilGone(hub, kinds.ManifestWork, { name: work, namespace: "sno1" });
    await nothingLeftOn("sno1");
  });

  test("When a Job fails, the hub should show why, and its objects should stay for diagnosis", async () => {
    const image = `registry.example.com/release@${digestOf("2")}`;
    await reportProgress("sno2", {
      reason: "PullFailed",
      image,
      detail: "unauthorized: authentication required",
    });
    await endJob("sno2", "Failed");
    await followed.until((states) => states.sno2 === "UnrecoverableError");
    expect(await followed.untilRecord("sno2", ({ state }) => state === "UnrecoverableError")).toMatchObject({
      reason: "PullFailed",
      message: `${image}: unauthorized: authentication required`,
    });
    await untilJob("sno2", ({ status }) => Object(status).failed === 1);
  });

  test("When the cluster that was off returns, it should pre-cache too, and report an end that it reached while it was off again", async () => {
    await of(clusters, "sno3").reconnect();
    await untilJob("sno3", () => true);
    // Its work was suspended with the others; it resumes with a tick, of which a deployment has one a minute.
    const stateAfterTick = async () => {
      await system.resync();
      return statesOf(await followed.until(() => true)).sno3;
    };
    await expect.poll(stateAfterTick, { timeout: 60_000 }).toBe("Active");
    await of(clusters, "sno3").disconnect();
    await endJob("sno3", "Succeeded");
    await untilJob("sno3", ({ status }) => Object(status).succeeded === 1);
    await of(clusters, "sno3").reconnect();
    await followed.until((states) => states.sno3 === "Succeeded");
    await expect
      .poll(followed.shown, { timeout: 20_000 })
      .toEqual(["PartiallyDone", "Precaching failed for 1 clusters"]);
    expect((await followed.conditions()).at(-1)).toMatch(/^PrecachingSuceeded True PartiallyDone/);
    await nothingLeftOn("sno3");
  });

  test("When the failed cluster is retried, only that one should run, as another attempt, and then all should be done", async () => {
    const variables = { KUBECONFIG: server.admin.kubeConfigFile };
    const { exitCode } = await hubrelay(["precache", "retry", `${ztp}/${name}`], { variables });
    expect(exitCode).toBe(0);
    await followed.until((states) => states.sno2 === "Active");
    expect((await followed.runFor("sno2")).attempt).toBe(2);
    expect((await followed.shown())[0]).toBe("InProgress");
    await endJob("sno2", "Succeeded");
    const done = await followed.until((states) => names.every((cluster) => states[cluster] === "Succeeded"));
    expect(done.metadata.annotations?.["hubrelay.dev/retry"]).toBeUndefined();
    expect(await followed.conditions()).toEqual([
      "ClustersSelected True ClusterSelectionCompleted: All selected clusters are valid",
      "Validated True ValidationCompleted: Completed validation",
      "PrecacheSpecValid True PrecacheSpecIsWellFormed: Precaching spec is valid and consistent",
      "PrecachingSuceeded True PrecachingCompleted: Precaching is completed for all clusters",
    ]);
    expect(await followed.shown()).toEqual([
      "PrecachingCompleted",
      "Precaching is completed for all clusters",
    ]);
    for (const [cluster, jobs] of [
      ["sno1", 1],
      ["sno2", 2],
      ["sno3", 1],
    ] as const)
      expect(new Set(await jobsOn(cluster)).size, cluster).toBe(jobs);
    await nothingLeftOn("sno2");
  });

  /** Lists every kind: nothing may be left that did not exist before the upgrade. */
  async function nothingLeftOn(cluster: Name): Promise<void> {
    const left = async () =>
      [...(await everythingOn(of(clusters, cluster)))].filter((one) => !of(before, cluster).has(one));
    await expect.poll(left, { timeout: 30_000 }).toEqual([]);
  }

  test("When the upgrade is deleted, nothing of it should stay on the hub either", async () => {
    expect(await hub.list(kinds.PreCachingReport)).toHaveLength(1);
    const cgu = await hub.get(kinds.ClusterGroupUpgrade, name, ztp);
    if (cgu) await hub.delete(referenceTo(cgu));
    const left = async () => [
      ...(await hub.list(kinds.PreCachingReport)),
      ...(await hub.list(kinds.ManifestWork)),
    ];
    await expect.poll(left, { timeout: 30_000 }).toEqual([]);
  });

  test("When all that is done, there should be one outcome for each failure and each end of the upgrade, and no request should have been refused", async () => {
    const ends: string[] = [];
    for (;;) {
      const messages = await system.messaging.queue("outcomes").receive({ waitSeconds: 1 });
      if (messages.length === 0) break;
      for (const { body } of messages) {
        const { type, subject } = JSON.parse(body);
        if (type.startsWith("dev.hubrelay.precache.")) ends.push(`${type.split(".").at(-1)} ${subject}`);
      }
    }
    expect(ends.toSorted()).toEqual([
      "cluster-failed ztp/upgrade/sno2",
      "finished ztp/upgrade",
      "finished ztp/upgrade",
    ]);
    const logs = [server.auditLog, ...[...clusters.values()].map(({ auditLog }) => auditLog)];
    const audited = (await Promise.all(logs.map(readAuditLog))).flat();
    expect(refusedRequests(audited.filter(({ user }) => !user.endsWith(":pre-cache-agent")))).toBe("");
    expect(system.lines().filter(({ event }) => event === "failed" || event === "dead-lettered")).toEqual([]);
  });
});
