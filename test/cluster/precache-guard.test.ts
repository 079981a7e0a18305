import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { manifestWork, withSuspend } from "#shared/domain/precache/work/manifest-work.ts";
import { HubError } from "#shared/ports/hub.ts";
import { asNew } from "../support/hub/create-object.ts";
import { anOwner } from "../support/hub/objects.ts";
import {
  cluster,
  earlierWork,
  hostileUpdates,
  hostileWorks,
  ownWork as own,
  ownCheck,
} from "../support/precache/hostile-works.ts";
import { aRun, release } from "../support/precache/precache-objects.ts";
import { anUpgrade } from "../support/precache/precache-plan-objects.ts";
import { startHub, type TestHub } from "./support/clusters/hub.ts";
import { hubAccounts } from "./support/clusters/process-accounts.ts";
import { createNamespace } from "./support/manifests/apply-manifests.ts";
import { precachingSettings } from "./support/manifests/hub-rbac.ts";

const standardSettings = precachingSettings();

describe("a client with an account of pre-caching", () => {
  let server: TestHub;
  let person: KubernetesHub;
  const cleanup = new AsyncDisposableStack();
  const clients = new Map<string, KubernetesHub>();
  let cgu: KubernetesObject;

  const as = (account: string): KubernetesHub => {
    const client = clients.get(account);
    if (!client) throw new Error(`no such account: ${account}`);
    return client;
  };
  /** The API server's response; "taken" when it accepts the request. */
  async function responseTo(request: Promise<unknown>): Promise<string> {
    try {
      await request;
      return "taken";
    } catch (error) {
      if (error instanceof HubError) return error.message;
      throw error;
    }
  }

  /** Repeats a request until it is refused with this message. */
  async function untilRefused(says: string, request: () => Promise<KubernetesObject>): Promise<void> {
    for (let patience = 100; patience > 0; patience--) {
      if ((await responseTo(request())).includes(says)) return;
      await sleep(100);
    }
    throw new Error(`the policies are not applied: no refusal contains "${says}"`);
  }

  /** Repeats a request until it is admitted. */
  async function untilAdmitted(request: () => Promise<unknown>): Promise<void> {
    for (let patience = 100; patience > 0; patience--) {
      if ((await responseTo(request())) === "taken") return;
      await sleep(100);
    }
    throw new Error("the settings are not read");
  }

  beforeAll(async () => {
    // The policies alone must refuse owners.
    server = await startHub({ checksOwners: false });
    cleanup.defer(() => server.stop());
    person = cleanup.adopt(kubernetesHub(server.admin.kubeConfig), (hub) => hub.close());
    const userAccessOf = await hubAccounts(server, standardSettings);
    for (const account of ["precache-plan", "precache-cluster", "precache-status"]) {
      const { kubeConfig } = await userAccessOf(`hubrelay-${account}`);
      clients.set(
        account,
        cleanup.adopt(kubernetesHub(kubeConfig), (hub) => hub.close()),
      );
    }
    for (const name of [cluster, "ztp"]) await createNamespace(server.api, name);
    const requests = { "hubrelay.dev/retry": "sno1", "hubrelay.dev/check": "all" };
    const stored = await person.create(
      asNew(anUpgrade({}, { annotations: { owner: "team-a", ...requests } })),
    );
    const precaching = { spec: { platformImage: release, spaceRequired: "45" }, clusters: ["sno1", "sno2"] };
    const lastTransitionTime = "2026-03-01T02:00:00Z";
    const valid = {
      type: "Validated",
      status: "True",
      reason: "ValidationCompleted",
      message: "",
      lastTransitionTime,
    };
    cgu = await person.updateStatus({ ...stored, status: { conditions: [valid], precaching } });
    // The API server applies policies shortly after they are stored. Each attempt writes another value, so that it is a
    // change.
    const another = () => [String(performance.now())];
    const otherName = { ...own, metadata: { ...own.metadata, name: "other" } };
    await untilRefused("own ManifestWorks only", () => as("precache-cluster").create(otherName));
    await untilRefused("but enable", () => as("precache-plan").update(withSpec({ clusters: another() })));
    await untilRefused("Only planning", () =>
      as("precache-status").updateStatus(withPrecaching({ clusters: another() })),
    );
  });
  afterAll(() => cleanup.disposeAsync());

  const withSpec = (fields: object): KubernetesObject => ({
    ...cgu,
    spec: { ...Object(cgu.spec), ...fields },
  });
  const withMetadata = (metadata: object): KubernetesObject => ({
    ...cgu,
    metadata: { ...cgu.metadata, ...metadata },
  });
  const withStatus = (fields: object): KubernetesObject => ({
    ...cgu,
    status: { ...Object(cgu.status), ...fields },
  });
  const withPrecaching = (fields: object): KubernetesObject =>
    withStatus({ precaching: { ...Object(cgu.status).precaching, ...fields } });

  test.for(hostileWorks)("$name", async ({ work, says }) => {
    expect(await responseTo(as("precache-cluster").create(work))).toContain(says);
  });

  test("When a work is what the function creates, it should be admitted, suspended, resumed and removed", async () => {
    const hub = as("precache-cluster");
    const stored = await hub.create(own);
    const suspended = withSuspend(stored, true);
    const resumed = suspended && withSuspend(await hub.update(suspended), false);
    if (resumed) await hub.update(resumed);
    await hub.delete({ ...referenceTo(own) });
  });

  test("When a check is what the function creates, it should be admitted, and removed by both functions", async () => {
    for (const account of ["precache-cluster", "precache-status"]) {
      await as("precache-cluster").create(ownCheck);
      await as(account).delete(referenceTo(ownCheck));
    }
  });

  test("When an own work is changed in any other way, it should be refused", async () => {
    const hub = as("precache-cluster");
    const { metadata } = await hub.create(own);
    for (const { work, says } of hostileUpdates) {
      const changed = { ...work, metadata: { ...metadata, ...work.metadata } };
      expect(await responseTo(hub.update(changed))).toContain(says);
    }
    await hub.delete(referenceTo(own));
  });

  test("When a work of an earlier version runs, it should be suspended, resumed and removed, but not changed", async () => {
    const hub = as("precache-cluster");
    const stored = await person.create(earlierWork());
    const suspended = withSuspend(stored, true);
    const resumed = suspended && withSuspend(await hub.update(suspended), false);
    const latest = resumed && (await hub.update(resumed));
    const evil = structuredClone(latest ?? stored);
    const { manifests } = Object(evil.spec).workload;
    const job = manifests.find(({ kind }: KubernetesObject) => kind === "Job");
    job.spec.template.spec.containers[0].image = "quay.io/evil/x";
    expect(await responseTo(hub.update(evil))).toContain("with its own settings");
    await hub.delete({ ...referenceTo(own) });
  });

  const digest = `sha256:${"a".repeat(64)}`;
  const image = `registry.lab:8443/hubrelay/workload@${digest}`;
  const workWith = (other: string, operatorsIndexes: readonly string[] = []) =>
    manifestWork(cluster, {
      run: aRun,
      content: { operatorsIndexes, operatorsPackagesAndChannels: ["p:c"] },
      image: other,
      timeoutMinutes: 240,
    });
  const withSettings = async (data: Readonly<Record<string, string>>) => {
    const stored = await person.get(
      kinds.ConfigMap,
      standardSettings.metadata.name,
      standardSettings.metadata.namespace,
    );
    if (stored) await person.update({ ...stored, data });
    else await person.create({ ...standardSettings, data });
  };

  test("When the profile is hardened, only the deployment's image should be admitted, by digest, and its catalogs", async () => {
    const hub = as("precache-cluster");
    const before = await hub.create(workWith("quay.io/acme/workload:1"));
    const index = "registry.lab:8443/olm/index";
    await withSettings({
      HUBRELAY_PRECACHE_PROFILE: "hardened",
      HUBRELAY_WORKLOAD_IMAGE: image,
      HUBRELAY_INDEX_REPOSITORIES: `quay.io/team/catalog,${index}`,
    });
    const refusal = "runs the image of HUBRELAY_WORKLOAD_IMAGE";
    await untilRefused(refusal, () => hub.create(workWith(`quay.io/evil/rootkit@${digest}`)));
    const suspended = withSuspend(before, true);
    if (suspended) await hub.update(suspended);
    await hub.delete(referenceTo(workWith(image)));
    expect(await responseTo(hub.create(workWith("registry.lab:8443/hubrelay/workload:1")))).toContain(
      refusal,
    );
    for (const other of ["evil.example/index:latest", `${index}-evil:v1`, `${index}/evil:v1`])
      expect(await responseTo(hub.create(workWith(image, [`${index}:v4.20`, other])))).toContain(
        "index images are from HUBRELAY_INDEX_REPOSITORIES",
      );
    for (const indexes of [[], [`${index}:v4.20`, `quay.io/team/catalog@${digest}`]]) {
      await hub.create(workWith(image, indexes));
      await hub.delete(referenceTo(workWith(image)));
    }
  });

  test("When the deployment names no catalogs, none should be admitted", async () => {
    const hub = as("precache-cluster");
    await withSettings({ HUBRELAY_PRECACHE_PROFILE: "hardened", HUBRELAY_WORKLOAD_IMAGE: image });
    await untilRefused("HUBRELAY_INDEX_REPOSITORIES", async () => {
      const made = await hub.create(workWith(image, ["registry.lab:8443/olm/index:v4.20"]));
      await hub.delete(referenceTo(workWith(image)));
      return made;
    });
    await hub.create(workWith(image));
    await hub.delete(referenceTo(workWith(image)));
  });

  test("When the settings are missing, no work of hubrelay should be admitted, and those of others should", async () => {
    const hub = as("precache-cluster");
    await person.delete(referenceTo(standardSettings));
    const theirs = { ...own, metadata: { namespace: cluster, name: "addon" } };
    try {
      await untilRefused("no params found", async () => {
        const made = await hub.create(own);
        await hub.delete(referenceTo(own));
        return made;
      });
      const stored = await person.create(theirs);
      await person.update({ ...stored, metadata: { ...stored.metadata, labels: { x: "y" } } });
      await person.delete(referenceTo(theirs));
    } finally {
      await withSettings(standardSettings.data);
    }
    await untilAdmitted(async () => {
      await hub.create(own);
      await hub.delete(referenceTo(own));
    });
  });

  test("When a work of another program exists, it should be neither changed nor removed", async () => {
    const theirs = await person.create({ ...own, metadata: { namespace: cluster, name: "precache-like" } });
    expect(await responseTo(as("precache-status").delete(referenceTo(theirs)))).toContain(
      "its own ManifestWorks only",
    );
    const taken = { ...theirs, metadata: { ...theirs.metadata, labels: own.metadata.labels ?? {} } };
    expect(await responseTo(as("precache-cluster").update(taken))).toContain("its own ManifestWorks only");
  });

  test.for<Readonly<{ name: string; account: string; change: () => KubernetesObject; says: string }>>([
    {
      name: "When planning selects the clusters of the rollout, it should be refused",
      account: "precache-plan",
      change: () => withSpec({ clusters: ["sno9"] }),
      says: "no field of a ClusterGroupUpgrade but enable",
    },
    {
      name: "When planning omits the policies, it should be refused",
      account: "precache-plan",
      change: () => withSpec({ managedPolicies: undefined }),
      says: "no field of a ClusterGroupUpgrade but enable",
    },
    {
      name: "When planning writes a foreign annotation, it should be refused",
      account: "precache-plan",
      change: () => withMetadata({ annotations: { ...cgu.metadata.annotations, owner: "me" } }),
      says: "changes no other",
    },
    {
      name: "When planning lets a rollout start automatically, it should be refused",
      account: "precache-plan",
      change: () =>
        withMetadata({ annotations: { ...cgu.metadata.annotations, "hubrelay.dev/precaching": "true" } }),
      says: "changes no other",
    },
    {
      name: "When planning adds a finalizer, it should be refused",
      account: "precache-plan",
      change: () => withMetadata({ finalizers: ["example.com/held"] }),
      says: "no labels, no finalizers",
    },
    {
      name: "When planning gives the upgrade an owner that is missing, it should be refused",
      account: "precache-plan",
      change: () => withMetadata({ ownerReferences: [anOwner] }),
      says: "no ownerReferences",
    },
    {
      name: "When following enables the rollout, it should be refused",
      account: "precache-status",
      change: () => withSpec({ enable: true }),
      says: "no field of a ClusterGroupUpgrade but enable",
    },
    {
      name: "When following requests a retry itself, it should be refused",
      account: "precache-status",
      change: () => withMetadata({ annotations: { owner: "team-a", "hubrelay.dev/retry": "failed" } }),
      says: "changes no other",
    },
    {
      name: "When following requests a check itself, it should be refused",
      account: "precache-status",
      change: () => withMetadata({ annotations: { owner: "team-a", "hubrelay.dev/check": "sno1" } }),
      says: "changes no other",
    },
  ])("$name", async ({ account, change, says }) => {
    expect(await responseTo(as(account).update(change()))).toContain(says);
  });

  test.for<Readonly<{ name: string; change: () => KubernetesObject; says: string }>>([
    {
      name: "When it plans other clusters, it should be refused",
      change: () => withPrecaching({ clusters: ["sno9"] }),
      says: "Only planning may change what is pre-cached",
    },
    {
      name: "When it plans other images, it should be refused",
      change: () => withPrecaching({ spec: { platformImage: "quay.io/evil/release", spaceRequired: "45" } }),
      says: "Only planning may change what is pre-cached",
    },
    {
      name: "When it reports that the whole upgrade has succeeded, it should be refused",
      change: () => {
        const [valid] = Object(cgu.status).conditions;
        return withStatus({ conditions: [valid, { ...valid, type: "Succeeded" }] });
      },
      says: "the conditions PrecachingSuceeded and PrecacheImagesReady only",
    },
    {
      name: "When it writes the status of the rollout, it should be refused",
      change: () => withStatus({ clusters: [{ name: "sno1", state: "complete" }] }),
      says: "status.precaching of a ClusterGroupUpgrade only",
    },
  ])("Of the status, $name", async ({ change, says }) => {
    expect(await responseTo(as("precache-status").updateStatus(change()))).toContain(says);
  });

  test("When another function writes the progress of clusters, it should be refused", async () => {
    const progress = withPrecaching({ status: { sno1: "Succeeded" } });
    expect(await responseTo(as("precache-cluster").updateStatus(progress))).toContain("forbidden");
    expect(await responseTo(as("precache-plan").updateStatus(progress))).toContain(
      "Only precache-status writes the progress",
    );
    const [valid] = Object(cgu.status).conditions;
    for (const type of ["PrecachingSuceeded", "PrecacheImagesReady"]) {
      const done = withStatus({ conditions: [valid, { ...valid, type }] });
      expect(await responseTo(as("precache-plan").updateStatus(done))).toContain(
        "Only precache-status writes the progress",
      );
    }
  });

  test("When they write what the functions write, it should be admitted", async () => {
    cgu = await as("precache-status").updateStatus(withPrecaching({ status: { sno1: "PreparingToStart" } }));
    cgu = await as("precache-plan").updateStatus(withPrecaching({ clusters: ["sno1"] }));
    const conditions = [
      ...Object(cgu.status).conditions,
      {
        ...Object(cgu.status).conditions[0],
        type: "PrecacheImagesReady",
        status: "False",
        reason: "ImagesNotReady",
      },
      {
        ...Object(cgu.status).conditions[0],
        type: "PrecachingSuceeded",
        status: "False",
        reason: "InProgress",
      },
    ];
    cgu = await as("precache-status").updateStatus(withStatus({ conditions }));
    const {
      "hubrelay.dev/retry": _retry,
      "hubrelay.dev/check": _check,
      ...annotations
    } = cgu.metadata.annotations ?? {};
    cgu = await as("precache-status").update(withMetadata({ annotations }));
    const noted = {
      ...annotations,
      "hubrelay.dev/workload-image": "quay.io/acme/workload:v1",
      "hubrelay.dev/outcomes": "[]",
    };
    cgu = await as("precache-plan").update(withMetadata({ annotations: noted }));
    cgu = await as("precache-plan").update(withSpec({ enable: true }));
    expect(await responseTo(as("precache-plan").update(withSpec({ enable: false })))).toContain(
      "may only enable a rollout",
    );
  });
});
