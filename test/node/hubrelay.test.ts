import { expect } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";
import { succeeded } from "../../infra/command.ts";
import { hubCrds } from "../cluster/support/manifests/crds.ts";
import { renderKustomization } from "../cluster/support/manifests/kustomize.ts";
import { managedClusterCrds } from "../cluster/support/servers/klusterlet.ts";
import type { Lab } from "../images/support/network/lab.ts";
import { buildImage, builtImage } from "../support/containers/podman.ts";
import { asNew } from "../support/hub/create-object.ts";
import { aDigestMirrorSet, anImageConfig, aPool } from "../support/hub/objects.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
} from "../support/precache/precache-plan-objects.ts";
import { busybox } from "./support/images.ts";
import type { RealNode } from "./support/real-node.ts";
import { test } from "./support/test.ts";

/** Where the node pulls hubrelay's own image from. */
const image = "m1.lan/hubrelay/hubrelay";

const aNamespace = (name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
});

/** Builds the image and pushes it as deploy-kubernetes.md does. */
async function pushImage(lab: Lab): Promise<void> {
  await buildImage();
  const [program = "", ...enter] = lab.enter;
  const target = `docker://${image}:0.1.0`;
  const copy = ["skopeo", "--insecure-policy", "copy", "--quiet", "--all", "--dest-tls-verify=false"];
  await succeeded(program, [...enter, ...copy, `oci-archive:${builtImage.archive}`, target], { cwd: "/" });
}

/** The overlay with the two changes that its site needs: where the image is, and that of the workload. */
async function overlay(): Promise<readonly KubernetesObject[]> {
  const rendered = await renderKustomization("infra/kubernetes/overlays/one-deployment");
  const text = JSON.stringify(rendered).replaceAll("registry.example.com/hubrelay/hubrelay", image);
  return JSON.parse(text).map((object: KubernetesObject) =>
    object.kind === "ConfigMap" && object.metadata.name.startsWith("hubrelay-settings")
      ? { ...object, data: { ...Object(object.data), HUBRELAY_WORKLOAD_IMAGE: "localhost/workload:1" } }
      : object,
  );
}

/** What a user creates to pre-cache this image on the cluster sno1, and what registration with OCM has left there. */
function precaching(additionalImage: string): readonly KubernetesObject[] {
  const config = aPreCachingConfig({ additionalImages: [additionalImage] });
  const upgrade = anUpgrade({
    clusters: ["sno1"],
    preCachingConfigRef: { name: "config", namespace: "ztp" },
  });
  const policy = aPolicy("platform", [], { sno1: "NonCompliant" });
  const namespaces = ["ztp", "policies", "sno1"].map(aNamespace);
  return [...namespaces, ...[aManagedCluster("sno1"), policy, config, upgrade].map(asNew)];
}

const mirrored = (mirror: string) =>
  aDigestMirrorSet("acme", [{ source: "quay.io/acme", mirrors: [`${mirror}.example.com/acme`] }]);

/** Creates what hubrelay reads of a hub, as its operators leave it. */
async function makeHub(node: RealNode): Promise<void> {
  const crds = [...(await hubCrds()), ...(await managedClusterCrds())];
  await node.apply(...crds.flatMap(({ manifest }) => tryParseManifestObject(manifest) ?? []));
  const established = ["wait", "--for=condition=Established", "--timeout=60s"];
  await node.kubectl(...established, ...crds.map(({ name }) => `crd/${name}`));
  const version = {
    apiVersion: "config.openshift.io/v1",
    kind: "ClusterVersion",
    metadata: { name: "version" },
    spec: { clusterID: "5f1c7a52-6d0e-4c7f-9b0a-6f6f7a1f2f10" },
    status: {
      observedGeneration: 1,
      versionHash: "hash",
      availableUpdates: null,
      history: [],
      desired: {
        version: "4.20.3",
        image: `quay.io/openshift-release-dev/ocp-release@sha256:${"a".repeat(64)}`,
      },
    },
  };
  const objects = [anImageConfig(), aPool("worker"), version];
  await node.apply(...objects.map(asNew));
}

/** Writes the mirror set, and waits until the MachineConfig has it; returns how long that took. */
async function rendered(node: RealNode, mirror: string): Promise<number> {
  const started = performance.now();
  await node.apply(asNew(mirrored(mirror)));
  const read = ["get", "machineconfig", "99-worker-generated-registries", "--ignore-not-found", "-o", "json"];
  await expect
    .poll(() => node.kubectl(...read), { timeout: 60_000, interval: 100 })
    .toContain(`${mirror}.example.com`);
  return performance.now() - started;
}

test("When the overlay runs the built image, its pods should be ready, and a change should reach its MachineConfig, through an update and the loss of a pod too; and an upgrade's image should be on its cluster", async ({
  lab,
  node,
}) => {
  await pushImage(lab);
  await node.configure([]);
  await makeHub(node);
  await node.apply(...(await overlay()));
  const inNamespace = ["-n", "hubrelay"];
  const rollout = [...inNamespace, "rollout", "status", "deployment/hubrelay-run", "--timeout=120s"];
  await node.kubectl(...rollout);
  await rendered(node, "first");

  await node.kubectl(...inNamespace, "rollout", "restart", "deployment/hubrelay-run");
  await rendered(node, "second");
  await node.kubectl(...rollout);

  const lease = ["get", "lease", "hubrelay-forwarder", "-o", "jsonpath={.spec.holderIdentity}"];
  // Nobody holds it for a moment after the update.
  const holders = expect.poll(() => node.kubectl(...inNamespace, ...lease), { timeout: 30_000 });
  await holders.toMatch(/^hubrelay-run-/);
  const holder = (await node.kubectl(...inNamespace, ...lease)).replace(/_.*/, "");
  await node.kubectl(...inNamespace, "delete", "pod", holder, "--grace-period=0", "--force");
  expect(await rendered(node, "third")).toBeLessThan(20_000);

  // The cluster manages itself: hubrelay's ManifestWork becomes a Job on the node that hubrelay runs on.
  const wanted = await lab.image([[await busybox()], [{ path: "case", content: "pre-cached" }]]);
  await lab.push(wanted, "m1.lan/apps/wanted:v1");
  const reference = `m1.lan/apps/wanted@${wanted.digest}`;
  await node.startWorkAgent("sno1");
  await node.apply(...precaching(reference));
  const done = "--for=jsonpath={.status.precaching.status.sno1}=Succeeded";
  const waiting = ["wait", done, "clustergroupupgrade/upgrade", "--timeout=120s"];
  await node.kubectl("-n", "ztp", ...waiting).catch(async (error: Error) => {
    const upgrade = await node.kubectl("-n", "ztp", "get", "clustergroupupgrade", "upgrade", "-o", "yaml");
    throw new Error(`${error.message}\n${upgrade}`, { cause: error });
  });
  expect(await node.pull(reference, "IfNotPresent")).toMatchObject({ reason: "Completed", contacted: [] });

  const restarts = ["get", "pods", "-o", "jsonpath={.items[*].status.containerStatuses[*].restartCount}"];
  expect(await node.kubectl(...inNamespace, ...restarts)).toMatch(/^0( 0)*$/);
}, 400_000);
