import { expect } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";
import { namespace } from "#shared/domain/precache-start/work/workload-objects.ts";
import { succeeded } from "../../infra/run-program.ts";
import { hubCrds } from "../cluster/support/manifests/crds.ts";
import { overlayWith, renderKustomization } from "../cluster/support/manifests/kustomize.ts";
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
import { certificate, key } from "../support/servers/server-certificate.ts";
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

/** In place of OpenShift's OAuth proxy, whose image no registry of a test has: what it does without a login. */
const proxyProgram = `
const [http, https, fs] = ["http", "https", "fs"].map((name) => require(name));
const [cert, key] = ["crt", "key"].map((part) => fs.readFileSync("/etc/hubrelay/tls/tls." + part));
https.createServer({ cert, key }, (asked, response) => {
  if (asked.url === "/oauth/healthz") return response.end("OK");
  http.get({ host: "127.0.0.1", port: 8320, path: asked.url }, (upstream) => {
    response.writeHead(upstream.statusCode, upstream.headers);
    upstream.pipe(response);
  }).on("error", () => response.writeHead(502).end());
}).listen(8443);`;

/** The console's Deployment with that program, and the Secrets that OpenShift's service CA and its administrator create. */
function withoutLogin(deployment: KubernetesObject): readonly KubernetesObject[] {
  const changed = structuredClone(deployment);
  const [console, proxy] = Object(changed.spec).template.spec.containers;
  Object.assign(proxy, { image: console.image, command: ["/usr/bin/node", "-e", proxyProgram], args: [] });
  const secret = (name: string, stringData: Readonly<Record<string, string>>): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `hubrelay-console-${name}`, namespace: "hubrelay" },
    stringData,
  });
  const tls = secret("tls", { "tls.crt": certificate, "tls.key": key });
  return [tls, secret("cookie", { session_secret: "0123456789abcdef" }), changed];
}

/** The overlay with the console, and the two changes that its site needs: where the image is, and that of the workload. */
async function overlay(): Promise<readonly KubernetesObject[]> {
  const rendered = (await overlayWith("one-deployment", ["console"], renderKustomization))
    .filter(({ kind }) => kind !== "Route")
    .flatMap((object) =>
      object.kind === "Deployment" && object.metadata.name === "hubrelay-console"
        ? withoutLogin(object)
        : [object],
    );
  const text = JSON.stringify(rendered).replaceAll("registry.example.com/hubrelay/hubrelay", image);
  return JSON.parse(text).map((object: KubernetesObject) =>
    object.kind === "ConfigMap" && object.metadata.name.startsWith("hubrelay-settings")
      ? { ...object, data: { ...Object(object.data), HUBRELAY_WORKLOAD_IMAGE: "localhost/workload:1" } }
      : object,
  );
}

/** What registration with OCM has left of the cluster sno1, and the policy that upgrades name. */
const registered = [
  ...["ztp", "policies", "sno1"].map(aNamespace),
  ...[aManagedCluster("sno1"), aPolicy("platform", [], { sno1: "NonCompliant" })].map(asNew),
];

/** What a user creates to pre-cache this image on that cluster. */
function precaching(name: string, additionalImage: string): readonly KubernetesObject[] {
  const config = aPreCachingConfig({ additionalImages: [additionalImage] }, { name });
  const upgrade = anUpgrade(
    { clusters: ["sno1"], preCachingConfigRef: { name, namespace: "ztp" } },
    { name },
  );
  return [config, upgrade].map(asNew);
}

/** Waits for the state of the cluster in an upgrade. */
async function reached(node: RealNode, name: string, state: string): Promise<void> {
  const done = `--for=jsonpath={.status.precaching.status.sno1}=${state}`;
  const waiting = ["wait", done, `clustergroupupgrade/${name}`, "--timeout=600s"];
  await node.kubectl("-n", "ztp", ...waiting).catch(async (error: Error) => {
    const upgrade = await node.kubectl("-n", "ztp", "get", "clustergroupupgrade", name, "-o", "yaml");
    throw new Error(`${error.message}\n${upgrade}`, { cause: error });
  });
}

/** Gives the workload's pods less memory than any pull takes, as a site's own limits may. */
function limitedTo(memory: string): readonly KubernetesObject[] {
  const at = (part: string) => `/spec/containers/0/resources/${part}/memory`;
  const patches = ["requests", "limits"].map(
    (part) => `JSONPatch{op: "replace", path: "${at(part)}", value: "${memory}"}`,
  );
  const [apiVersion, name] = ["admissionregistration.k8s.io/v1", "small"];
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };
  const policy: KubernetesObject = {
    apiVersion,
    kind: "MutatingAdmissionPolicy",
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: `[${patches}]` } }],
    },
  };
  const matched = { key: "kubernetes.io/metadata.name", operator: "In", values: [namespace, "ztp"] };
  const binding: KubernetesObject = {
    apiVersion,
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name, matchResources: { namespaceSelector: { matchExpressions: [matched] } } },
  };
  return [policy, binding];
}

const rulesOf = (name: string, mirror = "initial") => [
  { source: `quay.io/${name}`, mirrors: [`${mirror}.example.com/${name}`] },
];

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

/** Waits until a pod holds the Lease, which nobody does for a moment after an update, and returns its name. */
async function holderOf(node: RealNode): Promise<string> {
  const held = "-n hubrelay get lease hubrelay-forwarder -o jsonpath={.spec.holderIdentity}".split(" ");
  await expect.poll(() => node.kubectl(...held), { timeout: 120_000 }).toMatch(/^hubrelay-run-/);
  return (await node.kubectl(...held)).replace(/_.*/, "");
}

/** Writes the mirror set, and waits until the MachineConfig has it; returns how long that took. */
async function rendered(node: RealNode, mirror: string): Promise<number> {
  const started = performance.now();
  await node.apply(asNew(aDigestMirrorSet("acme", rulesOf("acme", mirror))));
  const read = ["get", "machineconfig", "99-worker-generated-registries", "--ignore-not-found", "-o", "json"];
  await expect
    .poll(() => node.kubectl(...read), { timeout: 600_000, interval: 100 })
    .toContain(`${mirror}.example.com`);
  return performance.now() - started;
}

/** The interval of the resync tick: what arrives before it was not lost and repeated. */
const tickMs = 5 * 60_000;

const inNamespace = ["-n", "hubrelay"];
const rolledOut = (deployment: string) => [
  ...inNamespace,
  ...["rollout", "status", `deployment/${deployment}`, "--timeout=600s"],
];

async function podsOf(node: RealNode, deployment: string): Promise<readonly string[]> {
  const words = ["get", "pods", "-l", `app.kubernetes.io/name=${deployment}`, "-o", "name"];
  return (await node.kubectl(...inNamespace, ...words)).trim().split("\n");
}

/** Tries to write to the root of its container, and prints what the first process there may do. */
const confinement = `
const fs = require("fs");
let write = "written";
try { fs.writeFileSync("/written", "") } catch ({ code }) { write = code }
const status = fs.readFileSync("/proc/1/status", "utf8");
const field = (name) => new RegExp("^" + name + ":\\\\s*(\\\\S+)", "m").exec(status)[1];
console.log([write, field("Uid"), "CapEff:", field("CapEff"), "NoNewPrivs:", field("NoNewPrivs")].join(" "));`;

test("When the overlay runs the built image, its pods should be ready and confined, and a change should reach its MachineConfig", async ({
  lab,
  node,
}) => {
  await pushImage(lab);
  await node.configure([]);
  await makeHub(node);
  await node.apply(...(await overlay()));
  for (const deployment of ["hubrelay-run", "hubrelay-console"]) {
    await node.kubectl(...rolledOut(deployment));
    for (const pod of await podsOf(node, deployment)) {
      const printed = await node.kubectl(...inNamespace, "exec", pod, "--", "node", "-e", confinement);
      expect(printed.trim(), pod).toMatch(/^EROFS 65532 CapEff: 0{16} NoNewPrivs: 1$/);
    }
  }
  await rendered(node, "first");
}, 1_200_000);

test("When a pod is lost, a change should reach its MachineConfig; and an upgrade's image should be on its cluster", async ({
  lab,
  node,
}) => {
  await node.kubectl(...inNamespace, "delete", "pod", await holderOf(node), "--grace-period=0", "--force");
  expect(await rendered(node, "second")).toBeLessThan(tickMs);

  // The cluster manages itself: hubrelay's ManifestWork becomes a Job on the node that hubrelay runs on.
  const wanted = await lab.image([[await busybox()], [{ path: "case", content: "pre-cached" }]]);
  await lab.push(wanted, "m1.lan/apps/wanted:v1");
  const reference = `m1.lan/apps/wanted@${wanted.digest}`;
  await node.startWorkAgent("sno1");
  await node.apply(...registered, ...precaching("upgrade", reference));
  await reached(node, "upgrade", "Succeeded");
  expect(await node.pull(reference, "IfNotPresent")).toMatchObject({ reason: "Completed", contacted: [] });

  const counts = ["get", "pods", "-o", "jsonpath={.items[*].status.containerStatuses[*].restartCount}"];
  expect(await node.kubectl(...inNamespace, ...counts)).toMatch(/^(?:0 ?)+$/);
}, 1_200_000);

test("When the console runs beside it, its probes should pass through the proxy, and its page show the upgrade", async ({
  node,
}) => {
  await node.kubectl(...rolledOut("hubrelay-console"));
  const [found = ""] = await podsOf(node, "hubrelay-console");
  const pod = found.replace("pod/", "https:");
  const page = await node.kubectl("get", "--raw", `/api/v1/namespaces/hubrelay/pods/${pod}:8443/proxy/`);
  expect(page).toContain("upgrade");
});

test("When a workload reaches the limit of its memory, the upgrade should report why it failed", async ({
  lab,
  node,
}) => {
  console.log(`out of memory under control groups of version ${node.controlGroups}`);
  await node.apply(...limitedTo("16Mi"));
  const memory = { memory: "64Mi" };
  const resources = { requests: memory, limits: memory };
  const spec = { containers: [{ name: "probe", image: "probe", resources }] };
  const overrides = `--overrides=${JSON.stringify({ spec })}`;
  const probe = ["run", "probe", "--image=probe", "--dry-run=server", overrides];
  const limit = ["-o", "jsonpath={.spec.containers[0].resources.limits.memory}"];
  await expect.poll(() => node.kubectl("-n", "ztp", ...probe, ...limit), { timeout: 600_000 }).toBe("16Mi");

  const wanted = await lab.image([[await busybox()], [{ path: "case", content: "too large" }]]);
  await lab.push(wanted, "m1.lan/apps/large:v1");
  await node.apply(...precaching("limited", `m1.lan/apps/large@${wanted.digest}`));
  await reached(node, "limited", "UnrecoverableError");
  const ended = "jsonpath={.items[*].status.containerStatuses[*].state.terminated.reason}";
  expect(await node.kubectl("-n", namespace, "get", "pods", "-o", ended)).toBe("OOMKilled");
  const reports = await node.kubectl("-n", "ztp", "get", "precachingreports", "-o", "json");
  const records = JSON.parse(reports).items.map((report: KubernetesObject) => Object(report.clusters).sno1);
  expect(records).toContainEqual(
    expect.objectContaining({
      state: "UnrecoverableError",
      message: expect.stringMatching(/killed, perhaps because (?:it|the pod) reached its memory limit/),
    }),
  );
});
