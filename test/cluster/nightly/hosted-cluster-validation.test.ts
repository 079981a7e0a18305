import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiError } from "#shared/adapters/hub/kubernetes/api-error.ts";
import {
  capabilitySet,
  enabledCapabilities,
} from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import { readHostedCluster } from "#shared/domain/hosted-clusters/cluster/hosted-cluster.ts";
import { hostedClusterSpec } from "#shared/domain/hosted-clusters/cluster/hosted-cluster-spec.ts";
import { nodePoolSpec } from "#shared/domain/hosted-clusters/nodes/node-pool.ts";
import { refusedValues } from "#shared/domain/hosted-clusters/validation/refusals.ts";
import { knownFields } from "#shared/domain/issues/field.ts";
import {
  fieldsOf,
  isRecord,
  listOf,
  objectsOf,
  type UnknownRecord,
} from "#shared/domain/kubernetes/json/values.ts";
import { temporaryFolder } from "../../support/setup/temporary-folder.ts";
import { hubrelay } from "../../system/cli.ts";
import { startHub, type TestHub } from "../support/clusters/cluster.ts";
import { hostedCluster, ownWrites, type WriteCase } from "../support/clusters/random-hosted-clusters.ts";
import { createManifest } from "../support/manifests/apply-manifests.ts";
import { type Crd, gatedHypershiftCrds, hubCrds } from "../support/manifests/crds.ts";

let hub: TestHub;
beforeAll(async () => {
  hub = await startHub();
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
  return [...readHostedCluster(object).issues, ...refusedValues(object, stored)]
    .filter(({ severity, code }) => severity === "error" && code !== "UnknownField")
    .map(({ path, message }) => `${path}: ${message}`)
    .sort();
}

/** After an error of a value's form the API server does not evaluate its rules, and says so. */
const stopsEarly = (server: readonly string[]) => server.some((cause) => cause.startsWith("<nil>: "));

/**
 * The same writes in every run: as many as requested for which the API server returns a verdict, and the writes on
 * which hubrelay differs from it.
 */
async function compare(
  writes: fc.Arbitrary<WriteCase>,
  count: number,
  isSame: (server: readonly string[], verdict: readonly string[]) => boolean,
) {
  const counts = { accepted: 0, refused: 0, updates: 0 };
  const differences: unknown[] = [];
  for (const write of fc.sample(writes, { seed: 20260822, numRuns: 4 * count })) {
    if (counts.accepted + counts.refused === count) break;
    const server = await serverVerdict(write);
    if (!server) continue;
    const verdict = hubrelayVerdict(write);
    if (!isSame(server, verdict)) differences.push({ write, server, verdict });
    if (server.length === 0) counts.accepted++;
    else counts.refused++;
    if (write.stored) counts.updates++;
  }
  expect(counts.accepted + counts.refused).toBe(count);
  return { counts, differences };
}

test("When 200 writes touch fields with hubrelay rules, its verdict should equal the API server's", async () => {
  const { counts, differences } = await compare(ownWrites, 200, (server, verdict) =>
    stopsEarly(server) ? verdict.length > 0 : isDeepStrictEqual(server, verdict),
  );
  expect(differences.slice(0, 5)).toEqual([]);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(40);
});

/** Returns the schema of a CRD's fields at a path of names; a name with `[]` means the items of a list. */
function crdFields(crds: readonly Crd[], plural: string, path: string): UnknownRecord {
  const crd = crds.find((one) => one.plural === plural);
  const [version] = objectsOf(fieldsOf(fieldsOf(crd?.manifest).spec).versions);
  const root = fieldsOf(fieldsOf(version).schema).openAPIV3Schema;
  const schema = path.split(".").reduce<unknown>((above, step) => {
    const field = fieldsOf(fieldsOf(above).properties)[step.replace("[]", "")];
    return step.endsWith("[]") ? fieldsOf(field).items : field;
  }, root);
  return fieldsOf(fieldsOf(schema).properties);
}

test.for([
  { plural: "hostedclusters", spec: hostedClusterSpec },
  { plural: "nodepools", spec: nodePoolSpec },
])(
  "When HyperShift's CRD of $plural has fields, the list should have exactly these",
  async ({ plural, spec }) => {
    const crds = await gatedHypershiftCrds();
    for (const [path, fields] of Object.entries(knownFields(spec.definition, "spec"))) {
      const found = crdFields(crds, plural, path);
      expect({ path, fields: [...fields].sort() }).toEqual({ path, fields: Object.keys(found).sort() });
    }
  },
);

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

/** Behind feature gates, and never enabled in hosted clusters. */
const gated = ["ClusterAPI", "CompatibilityRequirements"];

test("When OpenShift's API names capabilities, the table of capabilities should have exactly these", async () => {
  const { additionalEnabledCapabilities } = crdFields(
    await hubCrds(),
    "clusterversions",
    "spec.capabilities",
  );
  const names = listOf(fieldsOf(fieldsOf(additionalEnabledCapabilities).items).enum);
  const known = capabilitySet(undefined).names.filter((name) => !gated.includes(name));
  expect([...names].sort()).toEqual(known);
});

test.for(["4.18.3", "5.1.0"])(
  "When the release is %s, the API server should accept its ClusterVersion",
  async (version) => {
    const additionalEnabledCapabilities = enabledCapabilities({ choice: {}, version });
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
