import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { renderMachineConfig } from "#shared/domain/machine-config/machine-config.ts";
import { namespacePolicyPath, nodePaths, textFile } from "#shared/domain/machine-config/node-file.ts";
import { failedRequest } from "../support/hub/failed-request.ts";
import { hostileMachineConfigs, rendered } from "../support/hub/hostile-machine-configs.ts";
import { anImageConfig } from "../support/hub/objects.ts";
import { startHub, type TestHub } from "./support/clusters/hub.ts";
import { tokenFor } from "./support/clusters/service-account.ts";
import { createManifest } from "./support/manifests/apply-manifests.ts";
import { renderKustomization } from "./support/manifests/kustomize.ts";

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

  /** The API server applies new roles and policies shortly after they are stored, each at its own time. */
  async function untilRefused(says: string, object: KubernetesObject): Promise<void> {
    for (let patience = 100; patience > 0; patience--) {
      const refusal = await failedRequest(client.create(object)).catch(() => undefined);
      if (refusal?.message.includes(says)) return;
      await sleep(100);
    }
    throw new Error(`the policies are not applied: no refusal contains "${says}"`);
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
    await untilRefused("its own Events only", anEvent("probe", {}));
    const probe = rendered("master");
    await untilRefused("built-in pools only", {
      ...probe,
      metadata: { ...probe.metadata, name: "00-probe" },
    });
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

  test.for(hostileMachineConfigs)("$name", async ({ object, says }) => {
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
