import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import {
  aHostedCluster,
  annotated,
  catalog,
  handedOver,
  hostileChanges,
  sources,
  withSpec,
} from "../support/hosted-clusters/hostile-changes.ts";
import { startHub, type TestHub } from "./support/clusters/hub.ts";
import { tokenFor } from "./support/clusters/service-account.ts";
import { createManifest } from "./support/manifests/apply-manifests.ts";
import { renderKustomization } from "./support/manifests/kustomize.ts";

describe("a client with the account of the hosted-clusters function", () => {
  let server: TestHub;
  let person: KubernetesHub;
  let client: KubernetesHub;
  let given: KubernetesObject;
  let kept: KubernetesObject;

  /** The API server's response to an update; "taken" when it accepts it. */
  async function responseTo(object: KubernetesObject): Promise<string> {
    try {
      await client.update(object);
      return "taken";
    } catch (error) {
      if (error instanceof HubError) return error.message;
      throw error;
    }
  }

  beforeAll(async () => {
    // The policies alone must refuse owners.
    server = await startHub({ checksOwners: false });
    for (const object of await renderKustomization("infra/hub-rbac"))
      await createManifest(server.api, object);
    const account = { namespace: "hubrelay", name: "hubrelay-hosted-clusters" };
    const token = await tokenFor(server.api, account);
    person = kubernetesHub(server.admin.kubeConfig);
    client = kubernetesHub((await server.userAccess("thief", { token })).kubeConfig);
    given = await person.create(aHostedCluster("given", handedOver));
    kept = await person.create(aHostedCluster("kept", {}));
    // The API server applies new roles and policies shortly after they are stored. Each attempt writes another value:
    // an update without a change would not be refused.
    for (let attempts = 100; ; attempts--) {
      const response = await responseTo(annotated(kept, { owner: `me-${attempts}` }));
      if (response.includes("no others")) break;
      if (attempts === 0) throw new Error(`the policies are not applied: ${response}`);
      kept = (await person.get(kinds.HostedCluster, "kept", "default")) ?? kept;
      await sleep(100);
    }
  });
  afterAll(async () => {
    client?.close();
    person?.close();
    await server?.stop();
  });

  test.for(hostileChanges)("$name", async ({ change, says }) => {
    expect(await responseTo(change({ given, kept }))).toContain(says);
  });

  test("When it writes what was handed over and its own state, it should be admitted", async () => {
    const image = `mirror.example.com/olm/redhat-operator-index@sha256:${"a".repeat(64)}`;
    const written = withSpec(
      annotated(given, {
        [catalog]: image,
        "hubrelay.dev/reported-derived-fields": "1",
        "hubrelay.dev/outcomes": "[]",
      }),
      sources,
    );
    expect(await responseTo(written)).toBe("taken");
  });
});
