import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiError } from "#shared/adapters/hub/kubernetes/api-error.ts";
import { admit } from "#shared/domain/crd/admit.ts";
import type { Rule } from "#shared/domain/crd/check-rules.ts";
import { readCrd, type Schema } from "#shared/domain/crd/schema.ts";
import { missingDependencies } from "#shared/domain/hosted-clusters/capabilities/capability-issues.ts";
import {
  capabilitySet,
  resolveCapabilities,
} from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import { refusedValues } from "#shared/domain/hosted-clusters/validation/validate-hosted-cluster.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import { compileRules } from "../../../cli/commands/hosted/crd/cel-rules.ts";
import { matchesPattern } from "../../../cli/commands/hosted/crd/linear-pattern.ts";
import { temporaryFolder } from "../../support/setup/temporary-folder.ts";
import { hubrelay } from "../../system/cli.ts";
import { startHub, type TestHub } from "../support/clusters/hub.ts";
import {
  anyWrites,
  hostedCluster,
  ownWrites,
  type WriteCase,
} from "../support/clusters/random-hosted-clusters.ts";
import { createManifest } from "../support/manifests/apply-manifests.ts";
import { hubCrds } from "../support/manifests/crds.ts";

let hub: TestHub;
let schema: Schema<Rule>;
beforeAll(async () => {
  hub = await startHub();
  const crd = (await hubCrds()).find(({ plural }) => plural === "hostedclusters");
  const [version] = readCrd(crd?.manifest);
  if (!version) throw new Error("HyperShift publishes no CRD of HostedClusters");
  schema = compileRules(version.schema);
});
afterAll(() => hub?.stop());

const collection = "/apis/hypershift.openshift.io/v1beta1/namespaces/default/hostedclusters";

async function refusalsOf(write: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await write();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "Invalid") throw error;
    return error.causes.map(({ field, message }) => `${field}: ${message}`).sort();
  }
}

const send = (method: "POST" | "PUT" | "DELETE", path: string, body?: unknown, dryRun = true) =>
  hub.api.send({
    what: `${method} ${path}`,
    method,
    path,
    ...(dryRun ? { query: { dryRun: "All" } } : {}),
    ...(body === undefined ? {} : { body }),
  });

/** The API server's verdict; undefined when it refuses the initial object that must be stored first. */
async function serverVerdict({ stored, object }: WriteCase): Promise<readonly string[] | undefined> {
  if (!stored) return refusalsOf(() => send("POST", collection, object));
  const name = `${collection}/${stored.metadata.name}`;
  if ((await refusalsOf(() => send("POST", collection, stored, false))).length > 0) return undefined;
  const created = await hub.api.send({ what: `read ${name}`, method: "GET", path: name });
  const metadata = isRecord(created) ? created.metadata : undefined;
  const refusals = await refusalsOf(() => send("PUT", name, { ...object, metadata }));
  await send("DELETE", name, undefined, false);
  return refusals;
}

function hubrelayVerdict({ stored, object }: WriteCase): readonly string[] {
  return refusedValues(object, stored)
    .filter(({ severity, code }) => severity === "error" || code === "RulesNotChecked")
    .filter(({ code }) => code !== "UnknownField")
    .map(({ code, path, message }) => `${code === "RulesNotChecked" ? "<nil>" : path}: ${message}`)
    .sort();
}

function crdVerdict({ object, stored }: WriteCase): readonly string[] {
  const { errors, unknownRules } = admit(object, stored, schema, matchesPattern);
  expect(unknownRules).toEqual([]);
  return errors.map(({ field, message }) => `${field}: ${message}`).sort();
}

type Difference = Readonly<{ write: WriteCase; server: readonly string[]; verdict: readonly string[] }>;

/**
 * The same writes in every run: as many as requested for which the API server returns a verdict, and the writes on
 * which it differs from hubrelay.
 */
async function compare(
  writes: fc.Arbitrary<WriteCase>,
  count: number,
  validators: readonly ((write: WriteCase) => readonly string[])[],
) {
  const counts = { accepted: 0, refused: 0, updates: 0 };
  const differences: Difference[] = [];
  for (const write of fc.sample(writes, { seed: 20260822, numRuns: 4 * count })) {
    if (counts.accepted + counts.refused === count) break;
    const server = await serverVerdict(write);
    if (!server) continue;
    for (const verdict of validators.map((dryRun) => dryRun(write)))
      if (!isDeepStrictEqual(verdict, server)) differences.push({ write, server, verdict });
    if (server.length === 0) counts.accepted++;
    else counts.refused++;
    if (write.stored) counts.updates++;
  }
  expect(counts.accepted + counts.refused).toBe(count);
  return { counts, differences };
}

test("When 200 writes touch fields with hubrelay rules, its verdict should equal the API server's", async () => {
  const { counts, differences } = await compare(ownWrites, 200, [hubrelayVerdict, crdVerdict]);
  expect(differences.slice(0, 5)).toEqual([]);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(40);
});

test("When 200 writes touch any field, its CRD verdict should equal the API server's", async () => {
  const { counts, differences } = await compare(anyWrites, 200, [crdVerdict]);
  expect(differences.slice(0, 5)).toEqual([]);
  expect(counts.refused).toBeGreaterThan(60);
});

const clusterVersions = "/apis/config.openshift.io/v1/clusterversions";
const aClusterVersion = (...additionalEnabledCapabilities: readonly string[]) => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ClusterVersion",
  metadata: { name: "version" },
  spec: {
    clusterID: "6f1c0000-0000-4000-8000-000000000000",
    capabilities: { baselineCapabilitySet: "None", additionalEnabledCapabilities },
  },
});

test.for([
  { names: [] },
  { names: ["Build", "marketplace"] },
  { names: ["OperatorLifecycleManager", "marketplace"] },
  { names: ["baremetal"] },
])("When a ClusterVersion requests $names, it should lack what the API server lacks", async ({ names }) => {
  const refusals = await refusalsOf(() => send("POST", clusterVersions, aClusterVersion(...names)));
  const missing = missingDependencies(names, [], { major: 5, minor: 1 });
  expect(refusals).toEqual(
    missing.map(({ message }) => expect.stringContaining(`Invalid value: ${message}`)),
  );
});

/** Behind feature gates, and never enabled in hosted clusters. */
const gated = ["ClusterAPI", "CompatibilityRequirements"];

test("When OpenShift's API names capabilities, the table of capabilities should have exactly these", async () => {
  const crd = (await hubCrds()).find(({ plural }) => plural === "clusterversions");
  const [version] = readCrd(crd?.manifest);
  const fields = version?.schema.properties?.get("spec")?.properties?.get("capabilities")?.properties;
  const names = fields?.get("additionalEnabledCapabilities")?.items?.enum ?? [];
  const known = capabilitySet(undefined).names.filter((name) => !gated.includes(name));
  expect([...names].sort()).toEqual(known);
});

test.for(["4.18.3", "5.1.0"])(
  "When the release is %s, the API server should accept its ClusterVersion",
  async (version) => {
    const { additionalEnabledCapabilities } = resolveCapabilities({ choice: {}, version });
    const wanted = aClusterVersion(...(additionalEnabledCapabilities ?? []));
    expect(await refusalsOf(() => send("POST", clusterVersions, wanted))).toEqual([]);
  },
);

const rbac = "rbac.authorization.k8s.io/v1";

test("When the hub itself validates, hubrelay validate should report its verdict and store nothing", async () => {
  const folder = await temporaryFolder();
  await send("POST", collection, hostedCluster({ fips: false }), false);
  const changed = hostedCluster({ fips: true, capabilities: { disabled: ["Ingress"] } });
  await writeFile(join(folder, "changed.json"), JSON.stringify(changed));
  const ask = (kubeConfigFile: string) =>
    hubrelay(["validate", "-f", "changed.json", "--against", "hub"], {
      cwd: folder,
      hub: `kubeconfig:${kubeConfigFile}`,
    });

  const { stderr, exitCode } = await ask(hub.admin.kubeConfigFile);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("spec.fips: Invalid value: true: fips is immutable");
  // hubrelay's own rules and the hub agree: the issue is reported once.
  expect(stderr.split("Capabilities is immutable")).toHaveLength(2);
  const stored = await hub.api.send({ what: "read it", method: "GET", path: `${collection}/shop` });
  expect(stored).toMatchObject({ spec: { fips: false, capabilities: {} } });

  const reader = await hub.account("reader");
  const rules = [
    { apiGroups: ["hypershift.openshift.io"], resources: ["hostedclusters"], verbs: ["get", "list"] },
  ];
  await createManifest(hub.api, {
    apiVersion: rbac,
    kind: "ClusterRole",
    metadata: { name: "reader" },
    rules,
  });
  await createManifest(hub.api, {
    apiVersion: rbac,
    kind: "ClusterRoleBinding",
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [reader.subject],
  });
  const limited = await ask(reader.kubeConfigFile);
  expect(limited.exitCode).toBe(1);
  expect(limited.stderr).toContain("the hub's API server was not asked");
  expect(limited.stderr).toContain("Capabilities is immutable");
  expect(limited.stderr).not.toContain("fips is immutable");
});
