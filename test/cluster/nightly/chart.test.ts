import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { connect } from "#shared/adapters/hub/kubernetes/connection.ts";
import { fieldsOf, isRecord, objectsOf } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";
import { writeChart } from "../../../infra/chart/chart-files.ts";
import { paths } from "../../../infra/paths.ts";
import { succeeded } from "../../../infra/run-program.ts";
import { sharedFolder } from "../../support/setup/temporary-folder.ts";
import { startCluster, type TestCluster } from "../support/clusters/cluster.ts";
import { createManifest } from "../support/manifests/apply-manifests.ts";
import { addOnCrds, hubCrds, installCrds } from "../support/manifests/crds.ts";
import { overlayWith, renderKustomization, renderOverlay } from "../support/manifests/kustomize.ts";
import { helm } from "../support/programs/programs.ts";

const folder = sharedFolder();
const chartFolder = () => join(folder.path, "hubrelay");
beforeAll(() => writeChart(chartFolder()));
const image = { tag: "0.1.0" };
const overlays = "infra/kubernetes/overlays";

/** The settings of an overlay, as values. */
async function settingsOf(overlay: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(paths.root, overlays, overlay, "settings.env"), "utf8");
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
}

const hubId = "https://api.hub.example.com:6443";
const prefix = "https://sqs.eu-central-1.amazonaws.com/123456789012/hubrelay-prod-";
const roles = [
  "forwarder",
  "resync",
  "hosted-clusters",
  "maintenance-window",
  "mirror-config",
  "precache-cluster",
  "precache-plan",
  "precache-ready",
  "precache-status",
];
const annotations = Object.fromEntries(
  roles.map((name) => [
    `hubrelay-${name}`,
    { "eks.amazonaws.com/role-arn": `arn:aws:iam::123456789012:role/hubrelay-${name}` },
  ]),
);
const onAws = async () => ({
  hubId,
  image,
  engine: "queues",
  queues: { prefix, region: "eu-central-1" },
  settings: await settingsOf("aws-sqs"),
  accounts: { annotations },
});
const onOwnServer = async () => ({
  hubId,
  image,
  engine: "queues",
  queues: { prefix: "https://sqs.example.com/000000000000/", keysSecret: "hubrelay-queues", region: "any" },
  settings: await settingsOf("sqs-endpoint"),
});
const inOneProcess = async () => ({ hubId, image, settings: await settingsOf("one-deployment") });

const onLambda = async () => ({
  hubId,
  image,
  engine: "forwarder",
  accounts: { annotations: { "hubrelay-forwarder": annotations["hubrelay-forwarder"] } },
  queues: { prefix },
  settings: await settingsOf("forwarder"),
});
const neighbour = {
  flowControl: true,
  ownHostedClusters: true,
  trustedCA: true,
  priorityClassName: "openshift-user-critical",
  proxy: { url: "http://proxy.example.com:3128", port: 3128 },
};
const otherImage = {
  image: {
    repository: "registry.lab:5000/hubrelay",
    digest: `sha256:${"a".repeat(64)}`,
    pullSecrets: ["lab"],
  },
  registries: { ports: [5000, 8443] },
  resources: { "hubrelay-run": { limits: { memory: "1Gi" } } },
};

/** Values of a base and others, and what kustomize renders for the same, where it can. */
type ValueSet = readonly [
  name: string,
  base: () => Promise<object>,
  more: object,
  same?: () => Promise<readonly KubernetesObject[]>,
];

const enabled = { enabled: true };
const least = async () => ({ hubId });
const foldersOf = async (...folders: readonly string[]) =>
  (await Promise.all(folders.map((folder) => renderKustomization(folder)))).flat();
const withDashboards = () =>
  foldersOf(
    `${overlays}/one-deployment`,
    ...["grafana", "openshift"].map((name) => `infra/kubernetes/dashboards/${name}`),
  );
const withTriggers = () => foldersOf(`${overlays}/sqs-endpoint`, `${overlays}/sqs-endpoint/keda-sqs`);
const composed = (overlay: string, ...components: readonly string[]) =>
  overlayWith(overlay, components, renderKustomization);
const beside = ["flow-control", "own-hosted-clusters", "trusted-ca", "proxy", "priority-class"];
const two = ["mirror-config", "hosted-clusters"];

const valueSets: readonly ValueSet[] = [
  ["one process, with alerts", inOneProcess, { alerts: enabled }, () => renderOverlay("one-deployment")],
  ["a good neighbour behind a proxy", inOneProcess, neighbour, () => composed("one-deployment", ...beside)],
  ["dashboards", inOneProcess, { dashboards: { grafana: true, openshift: true } }, withDashboards],
  ["queues on AWS, with KEDA", onAws, { alerts: enabled, keda: enabled }, () => renderOverlay("aws-sqs")],
  ["queues that KEDA asks", onOwnServer, { keda: { ...enabled, trigger: "sqs" } }, withTriggers],
  ["console", onOwnServer, { console: enabled }, () => composed("sqs-endpoint", "console")],
  ["the forwarder for functions on Lambda", onLambda, {}, () => composed("forwarder")],
  ["one process with the console", least, { console: enabled }],
  ["two functions only", least, { functions: two, crds: false }],
  ["two functions apart", onAws, { functions: ["mirror-config", "maintenance-window"] }],
  ["a registry, its login, ports, and more memory", least, otherImage],
];

/** Leaves out what is empty, and what differs by design: hashes of settings, and Helm's own annotations. */
function normalised(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/^(hubrelay-settings)-[a-z0-9]{10}$/, "$1");
  if (Array.isArray(value)) {
    const items = value.map(normalised);
    const nameOf = (item: unknown) => fieldsOf(item).name;
    const isNamed = items.every((item) => typeof nameOf(item) === "string");
    return isNamed ? items.toSorted((a, b) => String(nameOf(a)).localeCompare(String(nameOf(b)))) : items;
  }
  if (!isRecord(value)) return value;
  const fields = Object.entries(value)
    .filter(([name]) => name !== "checksum/settings" && name !== "helm.sh/resource-policy")
    .map(([name, inner]) => [name, normalised(inner)] as const)
    .filter(([, inner]) => inner !== null && inner !== undefined && !isEmpty(inner));
  return Object.fromEntries(fields);
}

const isEmpty = (value: unknown) =>
  Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;

/** kustomize gives them a namespace, which the API server ignores. */
const clusterScoped = /^(?:ValidatingAdmissionPolicy(?:Binding)?|FlowSchema|PriorityLevelConfiguration)$/;

function withoutNamespace(object: KubernetesObject): KubernetesObject {
  if (!clusterScoped.test(object.kind)) return object;
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Objects by kind and name; neither the namespace nor a Secret is part of the chart. */
const byName = (objects: readonly KubernetesObject[]) =>
  Object.fromEntries(
    objects
      .filter(({ kind }) => kind !== "Namespace" && kind !== "Secret")
      .map((object) => normalised(withoutNamespace(object)))
      .map((object) => [`${fieldsOf(object).kind} ${fieldsOf(fieldsOf(object).metadata).name}`, object]),
  );

async function withValues<Result>(values: object, use: (file: string) => Promise<Result>): Promise<Result> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "hubrelay-values-"));
  const file = join(folder.path, "values.yaml");
  await writeFile(file, stringify(values));
  return await use(file);
}

const runHelm = async (args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> =>
  (await succeeded(await helm(console.log), args, { cwd: paths.root, env })).stdout;

function objectsIn(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const content: unknown = document.toJS();
    if (content === null) return [];
    const object = tryParseManifestObject(content);
    if (!object) throw new Error(`the chart renders what is no Kubernetes object:\n${document.toString()}`);
    return [object];
  });
}

const rendered = (values: object) =>
  withValues(values, async (file) =>
    objectsIn(await runHelm(["template", "hubrelay", chartFolder(), "--namespace", "hubrelay", "-f", file])),
  );

describe("the chart", () => {
  test.for(valueSets)(
    "When it is rendered as %s, helm should find no fault, and it should be as the overlay",
    async ([, base, more, same]) => {
      const set = { ...(await base()), ...more };
      const lint = withValues(set, (file) =>
        runHelm(["lint", "--strict", chartFolder(), "--namespace", "hubrelay", "-f", file]),
      );
      expect(await lint).toContain("0 chart(s) failed");
      const objects = await rendered(set);
      expect(objects.length).toBeGreaterThan(20);
      if (same) expect(byName(objects)).toEqual(byName(await same()));
    },
  );

  const settings = [
    { HUBRELAY_OUTCOME_SINK: "{}" },
    { HUBRELAY_OUTCOME_SINKS: "https://tickets.example.com" },
    { HUBRELAY_LOG_LEVEL: "verbose" },
    { HUBRELAY_WORKLOAD_IMAGE: "precache-workload:1" },
    { HUBRELAY_PRECACHE_PROFILE: "hardened", HUBRELAY_WORKLOAD_IMAGE: "registry.lab/workload:1" },
  ].map((one) => [{ hubId, settings: one }, Object.keys(one).at(-1) ?? ""] as const);

  test.for([
    [{ hubId, engines: "run" }, "engines"],
    [{}, "hubId"],
    [{ hubId, engine: "kafka" }, "engine"],
    [{ hubId, engine: "queues" }, "queues.prefix"],
    [{ hubId, functions: [] }, "functions"],
    ...settings,
    [{ hubId, resources: { "hubrelay-runs": { limits: { memory: "1Gi" } } } }, "hubrelay-runs"],
    [{ hubId, accounts: { annotations: { hubrelay: { a: "b" } } } }, "hubrelay"],
  ] as const)("When it is given %j, it should refuse it and name %s", async ([values, message]) => {
    await expect(rendered(values)).rejects.toThrow(message);
  });
});

describe("the chart on a real API server", () => {
  let server: TestCluster;
  beforeAll(async () => {
    const crds = (await hubCrds()).filter(({ group }) => group !== "hubrelay.dev");
    server = await startCluster({ crds });
    await installCrds(server.api, await addOnCrds());
    const [namespace] = (await renderKustomization("infra/hub-rbac")).filter(
      ({ kind }) => kind === "Namespace",
    );
    if (!namespace) throw new Error("infra/hub-rbac has no namespace");
    await createManifest(server.api, namespace);
  });
  afterAll(() => server.stop());

  test("When it is installed, upgraded, rolled back and removed, the hub should follow, and keep hubrelay's kinds", async () => {
    const env = { ...process.env, KUBECONFIG: server.admin.kubeConfigFile };
    const run = (...args: readonly string[]) => runHelm([...args, "--namespace", "hubrelay"], env);
    const api = connect(server.admin.kubeConfig, {
      userAgent: "test",
      requestTimeoutMs: 30_000,
      environment: {},
    });
    const read = async (path: string) => api.send({ what: `get ${path}`, method: "GET", path });
    const container = async () => {
      const { spec } = fieldsOf(await read("/apis/apps/v1/namespaces/hubrelay/deployments/hubrelay-run"));
      const [found] = objectsOf(fieldsOf(fieldsOf(fieldsOf(spec).template).spec).containers);
      return found;
    };
    const set = { hubId, image, flowControl: true, alerts: { enabled: true } };
    await withValues(set, (file) => run("install", "hubrelay", chartFolder(), "-f", file));
    expect(await container()).toMatchObject({ image: "registry.example.com/hubrelay/hubrelay:0.1.0" });
    await read("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/hubrelay");

    const newer = { ...set, image: { tag: "0.2.0" }, functions: ["mirror-config"] };
    await withValues(newer, (file) => run("upgrade", "hubrelay", chartFolder(), "-f", file));
    expect(await container()).toMatchObject({
      image: "registry.example.com/hubrelay/hubrelay:0.2.0",
      args: ["run", "--accounts", "hubrelay", "--function", "mirror-config"],
    });
    await run("rollback", "hubrelay", "1");
    expect(await container()).toMatchObject({
      image: "registry.example.com/hubrelay/hubrelay:0.1.0",
      args: ["run", "--accounts", "hubrelay"],
    });
    await read("/api/v1/namespaces/hubrelay/serviceaccounts/hubrelay-hosted-clusters");
    await run("uninstall", "hubrelay");
    await expect(container()).rejects.toMatchObject({ code: "NotFound" });
    await read("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/maintenancewindows.hubrelay.dev");
    api.close();
  });
});
