import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { aRun, aWorkspace } from "../../support/oc-mirror/cluster-resources.ts";
import { hubrelay } from "../../system/cli.ts";
import { startHub, type TestHub } from "../support/clusters/hub.ts";
import { createManifest, createNamespace } from "../support/manifests/apply-manifests.ts";
import { importedCrds } from "../support/manifests/imported-crds.ts";
import { installCrds } from "../support/manifests/install-crds.ts";

const namespaces = ["openshift-config-managed", "openshift-marketplace", "openshift-update-service"];

let server: TestHub;
beforeAll(async () => {
  server = await startHub();
  await installCrds(server.api, importedCrds);
  for (const name of namespaces) await createNamespace(server.api, name);
}, 120_000);
afterAll(() => server.stop());

async function importing(workspace: string, ...args: readonly string[]) {
  const variables = { KUBECONFIG: server.admin.kubeConfigFile };
  const { stdout, stderr } = await hubrelay(["import", workspace, ...args], { variables });
  expect(stderr).not.toContain("error: ");
  return stdout;
}

async function changes(workspace: string) {
  const { objects }: { objects: readonly { change: string }[] } = JSON.parse(
    await importing(workspace, "-o", "json"),
  );
  return new Set(objects.map(({ change }) => change));
}

test("When a real API server gets what oc-mirror wrote, in the order given, it should accept it, and then nothing should be new", async () => {
  const workspace = await aWorkspace(aRun());
  expect(await changes(workspace)).toEqual(new Set(["new"]));
  const manifests = readManifests(await importing(workspace, "--manifests", "--sync-waves"), "stdout");
  const created: KubernetesObject[] = [];
  for (const { object } of manifests.objects) created.push(await createManifest(server.api, object));
  expect(created.map(({ kind }) => kind)).toEqual([
    "ConfigMap",
    "ImageDigestMirrorSet",
    "ImageDigestMirrorSet",
    "ImageTagMirrorSet",
    "CatalogSource",
    "ClusterCatalog",
    "UpdateService",
  ]);
  // Another run with the same content, at another time.
  expect(await changes(await aWorkspace(aRun({ createdAt: "2026-05-01T02:00:00Z" })))).toEqual(
    new Set(["unchanged"]),
  );
});
