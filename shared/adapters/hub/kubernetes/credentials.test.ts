import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { KubeConfig } from "@kubernetes/client-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { failedRequest } from "../../../../test/support/hub/failed-request.ts";
import {
  type ApiCall,
  type ApiScript,
  kubeConfigFor,
  respondJson,
  respondStatus,
  scriptedApi,
} from "../../../../test/support/servers/scripted-api.ts";
import { clusterImage, scriptedHub } from "../../../../test/support/servers/scripted-hub.ts";
import { certificate } from "../../../../test/support/servers/server-certificate.ts";
import { temporaryFolder } from "../../../../test/support/setup/temporary-folder.ts";
import { kinds } from "../../../domain/kubernetes/object.ts";
import { kubernetesHub } from "./kubernetes-hub.ts";

test("When the file with the hub's authority is replaced, the next request should trust the new one", async () => {
  const api = await scriptedApi(
    (_, response) => respondJson(response, 200, { metadata: { name: "cluster" } }),
    { isTls: true },
  );
  const folder = await temporaryFolder();
  const caFile = join(folder, "ca.crt");
  writeFileSync(caFile, rootCertificates[0] ?? "");
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "hub", server: api.url, caFile, skipTLSVerify: false },
    { name: "somebody", token: "t" },
  );
  const hub = kubernetesHub(config);
  onTestFinished(() => hub.close());
  await expect(hub.get(kinds.Image, "cluster")).rejects.toMatchObject({ code: "Unavailable" });
  writeFileSync(caFile, certificate);
  expect((await hub.get(kinds.Image, "cluster"))?.metadata.name).toBe("cluster");
});

describe("rejected credentials", () => {
  const onlyWith =
    (token: string): ApiScript =>
    ({ headers }, response) =>
      headers.authorization === `Bearer ${token}`
        ? respondJson(response, 200, clusterImage)
        : respondStatus(response, 401, "Unauthorized");

  test("When the kubeconfig has a newer token, it should be read again once for all waiting requests", async () => {
    let reads = 0;
    const api = await scriptedApi(onlyWith("second"));
    const reload = async () => {
      reads++;
      return kubeConfigFor(api.url, { token: "second" });
    };
    const hub = kubernetesHub(kubeConfigFor(api.url, { token: "first" }), { reload });
    onTestFinished(() => hub.close());
    const found = await Promise.all([1, 2, 3, 4, 5].map(() => hub.get(kinds.Image, "cluster")));
    expect(found.map((image) => image?.metadata.name)).toEqual(Array(5).fill("cluster"));
    expect(reads).toBe(1);
    await hub.create({ apiVersion: "config.openshift.io/v1", kind: "Image", metadata: { name: "cluster" } });
    expect(reads).toBe(1);
  });

  test("When a write is rejected, it should be sent again with the newer token, once", async () => {
    const api = await scriptedApi(onlyWith("second"));
    const hub = kubernetesHub(kubeConfigFor(api.url, { token: "first" }), {
      reload: () => kubeConfigFor(api.url, { token: "second" }),
    });
    onTestFinished(() => hub.close());
    await hub.update(clusterImage);
    expect(api.calls.map(({ method, headers }) => `${method} ${headers.authorization}`)).toEqual([
      "PUT Bearer first",
      "PUT Bearer second",
    ]);
  });

  test("When they cannot be read again, it should be unauthorized", async () => {
    const { hub, api } = await scriptedHub(onlyWith("second"));
    expect((await failedRequest(hub.get(kinds.Image, "cluster"))).code).toBe("Unauthorized");
    expect(api.calls).toHaveLength(1);
  });

  test.for([
    { script: onlyWith("second"), says: "The hub rejects the login." },
    {
      script: (_call: ApiCall, response: ServerResponse) =>
        respondStatus(response, 503, "ServiceUnavailable"),
      says: "The hub refuses requests (503).",
    },
    {
      script: (_call: ApiCall, response: ServerResponse) => void response.destroy(),
      says: "The hub does not respond.",
    },
  ])(
    "When a request has failed, and another has not, the hub should say so and no longer: $says",
    async ({ script, says }) => {
      let present: ApiScript = script;
      const { hub } = await scriptedHub((call, response) => present(call, response));
      expect(hub.problem()).toBeUndefined();
      await failedRequest(hub.get(kinds.Image, "cluster"));
      expect(hub.problem()).toBe(says);
      present = onlyWith("first");
      await hub.get(kinds.Image, "cluster");
      expect(hub.problem()).toBeUndefined();
    },
  );

  test("When the hub has moved, it should follow the kubeconfig", async () => {
    const moved = await scriptedApi(onlyWith("second"));
    const reload = () => kubeConfigFor(moved.url, { token: "second" });
    const { hub } = await scriptedHub(onlyWith("second"), { reload });
    expect(await hub.get(kinds.Image, "cluster")).toEqual(clusterImage);
    expect(moved.calls).toHaveLength(1);
  });

  test("When the kubeconfig is gone, it should be unauthorized and say why", async () => {
    const reload = () => {
      throw new Error("the file is gone\nand its last content was token: hush");
    };
    const { hub } = await scriptedHub((_, response) => respondStatus(response, 401, "Unauthorized"), {
      reload,
    });
    const error = await failedRequest(hub.get(kinds.Image, "cluster"));
    expect(error.code).toBe("Unauthorized");
    expect(error.message).toContain("the file is gone");
    expect(error.message).not.toContain("hush");
  });
});
