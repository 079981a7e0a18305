import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { paths } from "../../../infra/paths.ts";
import { startHub, type TestHub } from "../support/clusters/cluster.ts";
import { crdsOf, installCrds } from "../support/manifests/crds.ts";

const source = "registry.access.redhat.com/ubi8/ubi-minimal";
const mirror = "example.io/example/ubi-minimal";

type Rule = Readonly<Record<string, unknown>>;
const digestPolicy = (rule: Rule): KubernetesObject => ({
  ...{ apiVersion: "config.openshift.io/v1", kind: "ImageSourceDigestPolicy" },
  metadata: { name: "ubi8repo" },
  spec: { repositoryDigestMirrors: [rule] },
});
const tagPolicy = (rule: Rule): KubernetesObject => ({
  ...{ apiVersion: "config.openshift.io/v1", kind: "ImageSourceTagPolicy" },
  metadata: { name: "ubi8repo" },
  spec: { repositoryTagMirrors: [rule] },
});

let server: TestHub;
let hub: KubernetesHub;

beforeAll(async () => {
  server = await startHub();
  const files = ["imagesourcedigestpolicies", "imagesourcetagpolicies"].map((name) =>
    join(paths.root, `infra/crds/source-policies/${name}.yaml`),
  );
  await installCrds(server.api, (await Promise.all(files.map(crdsOf))).flat());
  hub = kubernetesHub(server.admin.kubeConfig);
}, 120_000);
afterAll(async () => {
  hub.close();
  await server.stop();
});

test.for([
  { name: "a source with a tag", rule: { source: `${source}:8.9`, mirrors: [mirror] } },
  { name: "no source", rule: { mirrors: [mirror] } },
  { name: "a wildcard with a path", rule: { source: "*.redhat.com/ubi8", mirrors: [mirror] } },
  { name: "a mirror that is a wildcard", rule: { source, mirrors: ["*.example.io"] } },
  { name: "the same mirror twice", rule: { source, mirrors: [mirror, mirror] } },
])("When a source policy has $name, the API server should refuse it", async ({ rule }) => {
  for (const policy of [digestPolicy(rule), tagPolicy(rule)])
    await expect(hub.create(policy)).rejects.toMatchObject({ code: "Invalid" });
});
