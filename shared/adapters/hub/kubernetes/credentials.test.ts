import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { KubeConfig } from "@kubernetes/client-node";
import { expect, onTestFinished, test } from "vitest";
import { respondJson, scriptedApi } from "../../../../test/support/servers/scripted-api.ts";
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
