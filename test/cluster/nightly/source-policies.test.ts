import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/controller.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { paths } from "../../../infra/paths.ts";
import { asNew } from "../../support/hub/create-object.ts";
import { aPool } from "../../support/hub/objects.ts";
import { quietPorts } from "../../support/messages/quiet-ports.ts";
import { startHub, type TestHub } from "../support/clusters/hub.ts";
import { createClusterVersion } from "../support/manifests/cluster-version.ts";
import { crdsOf } from "../support/manifests/crds.ts";
import { installCrds } from "../support/manifests/install-crds.ts";

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

test("When both policies name one mirror, nodes should get it for digests and for tags, and keep it when an error comes", async () => {
  const rule = { source, mirrors: [mirror] };
  for (const policy of [digestPolicy(rule), tagPolicy(rule)]) await hub.create(policy);
  await createClusterVersion(hub);
  await hub.create({
    apiVersion: "config.openshift.io/v1",
    kind: "Image",
    metadata: { name: "cluster" },
    spec: {},
  });
  const { metadata, ...pool } = aPool("worker");
  const annotations = { "hubrelay.dev/take-over": "true" };
  await hub.create(asNew({ ...pool, metadata: { ...metadata, annotations } }));
  const written = async () => {
    await reconcile(mirrorConfig, "cluster", quietPorts(hub));
    const machineConfig = await hub.get(kinds.MachineConfig, "99-worker-generated-registries");
    return machineConfig ? readMachineConfigFiles(machineConfig) : [];
  };
  const files = await written();
  expect(files[0]?.contents.match(/location = "example.*\n.*/g)).toEqual([
    expect.stringMatching(/digest-only/),
    expect.stringMatching(/tag-only/),
  ]);
  // A bare host leaves no repository for the release payload: the API accepts it, and no node could pull it.
  const bare = { source: "quay.io/openshift-release-dev/ocp-release", mirrors: ["example.io"] };
  await hub.create({ ...digestPolicy(bare), metadata: { name: "broken" } });
  expect(await written()).toEqual(files);
  expect(await hub.get(kinds.ImageSourceDigestPolicy, "broken")).toMatchObject({
    status: { conditions: [{ type: "Failed", status: "True", reason: "MirrorBreaksPayload" }] },
  });
});
