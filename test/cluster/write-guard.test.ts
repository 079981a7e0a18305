import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { renderMachineConfig } from "#shared/domain/machine-config/machine-config.ts";
import { namespacePolicyPath, nodePaths, textFile } from "#shared/domain/machine-config/node-file.ts";
import { failedRequest } from "../support/hub/failed-request.ts";
import { anImageConfig, anOwner } from "../support/hub/objects.ts";
import { startHub, type TestHub } from "./support/clusters/hub.ts";
import { tokenFor } from "./support/clusters/service-account.ts";
import { createManifest } from "./support/manifests/apply-manifests.ts";
import { renderKustomization } from "./support/manifests/kustomize.ts";

const file = textFile(nodePaths.registriesConf, "unqualified-search-registries = []\n");
const rendered = (pool: string) => renderMachineConfig({ pool, files: [file] });

/** What the function would write for a pool, with a change in its Ignition configuration. */
function withConfig(pool: string, config: object): KubernetesObject {
  return { ...rendered(pool), spec: { config: { ignition: { version: "3.5.0" }, ...config } } };
}
const withFiles = (...files: readonly object[]) => withConfig("master", { storage: { files } });
const withMetadata = (metadata: object): KubernetesObject => {
  const object = rendered("master");
  return { ...object, metadata: { ...object.metadata, ...metadata } };
};
const good = {
  path: nodePaths.policy,
  mode: 0o644,
  overwrite: true,
  contents: { source: "data:,", compression: "" },
};

const refused: readonly Readonly<{ name: string; object: KubernetesObject; says: string }>[] = [
  {
    name: "When it has another name, it should be refused",
    object: { ...rendered("master"), metadata: { ...rendered("master").metadata, name: "00-master" } },
    says: "built-in pools only",
  },
  {
    name: "When it is for another pool than its name says, it should be refused",
    object: {
      ...rendered("master"),
      metadata: {
        ...rendered("master").metadata,
        labels: { "machineconfiguration.openshift.io/role": "worker" },
      },
    },
    says: "for the pool",
  },
  {
    name: "When it changes the kernel's arguments, it should be refused",
    object: {
      ...rendered("master"),
      spec: { ...Object(rendered("master").spec), kernelArguments: ["init=/bin/sh"] },
    },
    says: "no field of a MachineConfig's spec",
  },
  {
    name: "When it replaces the operating system, it should be refused",
    object: {
      ...rendered("master"),
      spec: { ...Object(rendered("master").spec), osImageURL: "quay.io/evil/os" },
    },
    says: "no field of a MachineConfig's spec",
  },
  {
    name: "When it contains a systemd unit, it should be refused",
    object: withConfig("master", { systemd: { units: [{ name: "evil.service", enabled: true }] } }),
    says: "nothing else of a node",
  },
  {
    name: "When it contains a user, it should be refused",
    object: withConfig("master", {
      passwd: { users: [{ name: "core", sshAuthorizedKeys: ["ssh-ed25519 AAAA"] }] },
    }),
    says: "nothing else of a node",
  },
  {
    name: "When it fetches another configuration, it should be refused",
    object: withConfig("master", {
      ignition: { version: "3.5.0", config: { merge: [{ source: "https://evil.example.com" }] } },
    }),
    says: "nothing else of a node",
  },
  {
    name: "When it links a file, it should be refused",
    object: withConfig("master", { storage: { links: [{ path: "/etc/passwd", target: "/tmp/x" }] } }),
    says: "nothing else of a node",
  },
  {
    name: "When it writes a foreign file, it should be refused",
    object: withFiles(good, { ...good, path: "/etc/sudoers.d/evil" }),
    says: "files of registries",
  },
  {
    name: "When it leaves the folder of policies, it should be refused",
    object: withFiles({ ...good, path: "/etc/crio/policies/../../cron.d/x.json" }),
    says: "files of registries",
  },
  {
    name: "When a file is writable for all users, it should be refused",
    object: withFiles({ ...good, mode: 0o666 }),
    says: "its own content",
  },
  {
    name: "When a file is fetched from a URL, it should be refused",
    object: withFiles({ ...good, contents: { source: "https://evil.example.com/policy.json" } }),
    says: "its own content",
  },
  {
    name: "When it has an owner that is missing, it should be refused",
    object: withMetadata({ ownerReferences: [anOwner] }),
    says: "no owner but Image/cluster",
  },
  {
    name: "When it has a finalizer, it should be refused",
    object: withMetadata({ finalizers: ["example.com/held"] }),
    says: "no finalizers",
  },
];

const anEvent = (name: string, labels: Readonly<Record<string, string>>): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name, namespace: "default", labels },
  involvedObject: { apiVersion: "v1", kind: "Node", name: "a" },
  type: "Warning",
  reason: "Reported",
  message: "sample",
});
const ownLabel = { "hubrelay.dev/function": "mirror-config" };

describe("a client with the account of the mirror-config function", () => {
  let server: TestHub;
  let person: KubernetesHub;
  let client: KubernetesHub;

  /** The API server applies new roles and policies shortly after they are stored. */
  async function untilGuarded(): Promise<void> {
    for (let patience = 100; patience > 0; patience--) {
      const probe = await failedRequest(client.create(anEvent("probe", {}))).catch(() => undefined);
      if (probe?.message.includes("its own Events only")) return;
      await sleep(100);
    }
    throw new Error("the policies are not applied");
  }

  beforeAll(async () => {
    // The policies alone must refuse owners.
    server = await startHub({ checksOwners: false });
    for (const object of await renderKustomization("infra/hub-rbac"))
      await createManifest(server.api, object);
    const account = { namespace: "hubrelay", name: "hubrelay-mirror-config" };
    const token = await tokenFor(server.api, account);
    person = kubernetesHub(server.admin.kubeConfig);
    client = kubernetesHub((await server.userAccess("thief", { token })).kubeConfig);
    await untilGuarded();
  });
  afterAll(async () => {
    client.close();
    person.close();
    await server.stop();
  });

  test("When it writes what the function writes, it should be admitted", async () => {
    const files = [...Object.values(nodePaths), namespacePolicyPath("team-a")].map((path) =>
      textFile(path, ""),
    );
    const image = anImageConfig();
    const created = await client.create(renderMachineConfig({ pool: "worker", files, image }));
    await client.update({ ...created, spec: rendered("worker").spec });
  });

  test.for(refused)("$name", async ({ object, says }) => {
    const error = await failedRequest(client.create(object));
    expect(error.message).toContain(says);
    expect(await person.get(kinds.MachineConfig, object.metadata.name)).toBeUndefined();
  });

  test("When it takes over a foreign object, the fields of the other owner should stay, and no others be added", async () => {
    const theirs = { ...Object(rendered("arbiter").spec), kernelArguments: ["quiet"] };
    const created = await person.create({ ...rendered("arbiter"), spec: theirs });
    const taken = await client.update({
      ...created,
      spec: { ...theirs, ...Object(rendered("arbiter").spec) },
    });
    const more = { ...taken, spec: { ...Object(taken.spec), kernelArguments: ["quiet", "init=/bin/sh"] } };
    expect((await failedRequest(client.update(more))).message).toContain(
      "no field of a MachineConfig's spec",
    );
  });

  test("When an Event belongs to another program, it should be neither changed nor removed", async () => {
    const theirs = await person.create(anEvent("theirs", { app: "other" }));
    const own = await client.create(anEvent("own", ownLabel));
    const labels = { "hubrelay.dev/function": "hosted-clusters" };
    const ofAnother = await person.create(anEvent("of-another", labels));
    const attempts = [
      () => client.delete(referenceTo(theirs)),
      () => client.delete(referenceTo(ofAnother)),
      () => client.update({ ...theirs, metadata: { ...theirs.metadata, labels: ownLabel } }),
      () => client.update({ ...own, metadata: { ...own.metadata, labels: {} } }),
    ];
    for (const attempt of attempts)
      expect((await failedRequest(attempt())).message).toContain("its own Events only");
    await client.delete(referenceTo(own));
  });
});
