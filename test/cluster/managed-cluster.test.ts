import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type Kind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { startHub, type TestHub } from "./support/clusters/hub.ts";
import { type ManagedCluster, startManagedCluster } from "./support/clusters/managed-cluster.ts";
import { createManifest, deleteManifest } from "./support/manifests/apply-manifests.ts";
import { readAuditLog, refusedRequests } from "./support/observe/audit-log.ts";
import { untilGone, untilObject } from "./support/observe/until.ts";
import { endPodsOf, jobKind, type PodEnd } from "./support/servers/kubelet.ts";

const namespaceKind: Kind = { apiVersion: "v1", kind: "Namespace", plural: "namespaces", namespaced: false };

const feedbackPaths = {
  active: ".status.active",
  succeeded: ".status.succeeded",
  complete: '.status.conditions[?(@.type=="Complete")].status',
  failedReason: '.status.conditions[?(@.type=="Failed")].reason',
};

/** A work with a namespace and a Job, whose state is fed back by JSONPaths. */
function aJobWork(name: string, job: Readonly<Record<string, unknown>> = {}): KubernetesObject {
  const container = { name: "pull", image: "registry.example.com/pull" };
  const manifests = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name } },
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "pull", namespace: name },
      spec: {
        backoffLimit: 0,
        template: { spec: { restartPolicy: "Never", containers: [container] } },
        ...job,
      },
    },
  ];
  const manifestConfigs = [
    {
      resourceIdentifier: { group: "batch", resource: "jobs", namespace: name, name: "pull" },
      updateStrategy: { type: "ServerSideApply" },
      feedbackRules: [
        {
          type: "JSONPaths",
          jsonPaths: Object.entries(feedbackPaths).map(([name, path]) => ({ name, path })),
        },
      ],
      conditionRules: [{ condition: "Complete", type: "WellKnownConditions" }],
    },
  ];
  return {
    apiVersion: kinds.ManifestWork.apiVersion,
    kind: kinds.ManifestWork.kind,
    metadata: { name, namespace: "sno1" },
    spec: { workload: { manifests }, manifestConfigs },
  };
}

/** What a work's Job has reported so far: one value for each of `feedbackPaths`. */
function feedbackOf({ status }: KubernetesObject): Readonly<Record<string, unknown>> {
  const manifests: readonly unknown[] = Object(status).resourceStatus?.manifests ?? [];
  const job = manifests.find((manifest) => Object(manifest).resourceMeta?.kind === "Job");
  const values: readonly unknown[] = Object(job).statusFeedback?.values ?? [];
  return Object.fromEntries(
    values.map((value) => {
      const { name, fieldValue } = Object(value);
      return [name, fieldValue.integer ?? fieldValue.string];
    }),
  );
}

const conditionOf = ({ status }: KubernetesObject, type: string): unknown =>
  Object(status).conditions?.find((condition: unknown) => Object(condition).type === type)?.status;

describe("a managed cluster with OCM's work agent", () => {
  let server: TestHub;
  let hub: KubernetesHub;
  let managed: ManagedCluster;
  let onManaged: KubernetesHub;
  const cleanup = new AsyncDisposableStack();

  beforeAll(async () => {
    server = await startHub();
    cleanup.defer(() => server.stop());
    hub = cleanup.adopt(kubernetesHub(server.admin.kubeConfig), (opened) => opened.close());
    managed = await startManagedCluster(server, "sno1", { labels: { vendor: "OpenShift" } });
    cleanup.defer(() => managed.stop());
    onManaged = cleanup.adopt(kubernetesHub(managed.admin.kubeConfig), (opened) => opened.close());
  });
  afterAll(() => cleanup.disposeAsync());

  const workIs = (name: string, isWanted: (work: KubernetesObject) => boolean) =>
    untilObject(hub, kinds.ManifestWork, { name, namespace: "sno1" }, isWanted);

  const ends: readonly Readonly<{ name: string; end: PodEnd; feedback: unknown }>[] = [
    { name: "succeeds", end: { phase: "Succeeded" }, feedback: { succeeded: 1, complete: "True" } },
    { name: "fails", end: { phase: "Failed" }, feedback: { failedReason: "BackoffLimitExceeded" } },
  ];
  test.for(ends)(
    "When the Job of a work $name, the hub should receive the result",
    async ({ name, end, feedback }) => {
      await createManifest(server.api, aJobWork(name));
      const applied = await workIs(name, (work) => feedbackOf(work).active === 1);
      expect(conditionOf(applied, "Applied")).toBe("True");
      await endPodsOf(managed, { namespace: name, name: "pull" }, end);
      const ended = await workIs(name, (work) => conditionOf(work, "Complete") === "True");
      expect(feedbackOf(ended)).toMatchObject(Object(feedback));
    },
  );

  test("When a work is deleted, nothing of it should stay on the managed cluster", async () => {
    const work = await createManifest(server.api, aJobWork("deleted"));
    await untilObject(onManaged, jobKind, { name: "pull", namespace: "deleted" });
    await deleteManifest(server.api, work);
    await untilGone(hub, kinds.ManifestWork, { name: "deleted", namespace: "sno1" });
    // Objects that the agent had not yet recorded when the work was deleted go with their owner, a moment later.
    await untilGone(onManaged, jobKind, { name: "pull", namespace: "deleted" });
    await untilGone(onManaged, namespaceKind, { name: "deleted" });
  });

  test("When the cluster is off, its works should wait, and continue when it returns", async () => {
    await managed.disconnect();
    const work = await createManifest(server.api, aJobWork("waits"));
    await deleteManifest(server.api, await workIs("succeeds", () => true));
    await workIs("succeeds", ({ metadata }) => Object(metadata).deletionTimestamp !== undefined);
    expect(work.status).toBeUndefined();
    await managed.reconnect();
    await workIs("waits", (work) => feedbackOf(work).active === 1);
    await untilGone(hub, kinds.ManifestWork, { name: "succeeds", namespace: "sno1" });
  });

  test("When the agent has done all this, neither side should have refused a request", async () => {
    const audited = await Promise.all([server.auditLog, managed.auditLog].map(readAuditLog));
    expect(refusedRequests(audited.flat())).toBe("");
  });
});
