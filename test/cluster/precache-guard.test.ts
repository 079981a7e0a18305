import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { manifestWork, withSuspend } from "#shared/domain/precache-start/work/manifest-work.ts";
import { HubError } from "#shared/ports/hub.ts";
import {
  cluster,
  earlierWork,
  hostileUpdates,
  hostileWorks,
  ownWork as own,
  ownCheck,
} from "../support/precache/hostile-works.ts";
import { aRun } from "../support/precache/precache-objects.ts";
import { startHub, type TestHub } from "./support/clusters/cluster.ts";
import { hubAccounts } from "./support/clusters/service-account.ts";
import { createNamespace } from "./support/manifests/apply-manifests.ts";
import { precachingSettings } from "./support/manifests/kustomize.ts";

const standardSettings = precachingSettings();

describe("a client with an account of pre-caching", () => {
  let server: TestHub;
  let person: KubernetesHub;
  const cleanup = new AsyncDisposableStack();
  const clients = new Map<string, KubernetesHub>();

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
    for (const account of ["precache-cluster", "precache-status"]) {
      const { kubeConfig } = await userAccessOf(`hubrelay-${account}`);
      clients.set(
        account,
        cleanup.adopt(kubernetesHub(kubeConfig), (hub) => hub.close()),
      );
    }
    await createNamespace(server.api, cluster);
    // The API server applies policies shortly after they are stored.
    const otherName = { ...own, metadata: { ...own.metadata, name: "other" } };
    await untilRefused("own ManifestWorks only", () => as("precache-cluster").create(otherName));
  });
  afterAll(() => cleanup.disposeAsync());

  test.for(hostileWorks)("$name", async ({ given, says }) => {
    expect(await responseTo(as("precache-cluster").create(given))).toContain(says);
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
    for (const { given, says } of hostileUpdates) {
      const changed = { ...given, metadata: { ...metadata, ...given.metadata } };
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
    expect(await responseTo(hub.update(evil))).toContain("only suspended and resumed");
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

  test("When a work of another program exists, it should not be removed", async () => {
    const theirs = await person.create({ ...own, metadata: { namespace: cluster, name: "precache-like" } });
    expect(await responseTo(as("precache-status").delete(referenceTo(theirs)))).toContain(
      "its own ManifestWorks only",
    );
  });
});
