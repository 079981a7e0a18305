import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseAllDocuments } from "yaml";
import type { ApiRequest, Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { type Kind, kinds } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import { paths } from "../../../../infra/paths.ts";
import { moduleDirectory } from "../programs/go.ts";
import { serverFolder } from "../programs/go-program.ts";

const openshift = "github.com/openshift/api";
const hypershift = "github.com/openshift/hypershift";
const olm = "github.com/operator-framework/api";
const ocm = "open-cluster-management.io/api";
const policies = "open-cluster-management.io/governance-policy-propagator";

const inPayload = (...names: readonly string[]) =>
  names.map((name) => `payload-manifests/crds/${name}.crd.yaml`);

const ofHypershift = (...names: readonly string[]) =>
  names.map(
    (name) => `cmd/install/assets/crds/hypershift-operator/zz_generated.crd-manifests/${name}.crd.yaml`,
  );

/**
 * The CRDs of OpenShift and OLM, on a hub and on its other clusters; of several variants, that of a default cluster.
 */
const ofOpenshift = {
  [openshift]: [
    ...inPayload(
      "0000_10_config-operator_01_imagedigestmirrorsets",
      "0000_10_config-operator_01_imagetagmirrorsets",
      "0000_10_config-operator_01_imagecontentsourcepolicies",
      "0000_10_config-operator_01_imagecontentpolicies",
      "0000_10_config-operator_01_images",
      "0000_10_config-operator_01_clusterimagepolicies",
      "0000_10_config-operator_01_imagepolicies",
      "0000_10_config-operator_01_infrastructures-Default",
      "0000_80_machine-config_01_machineconfigs",
      "0000_80_machine-config_01_machineconfigpools-SelfManagedHA",
      "0000_80_machine-config_01_machineconfigurations",
    ),
    "config/v1/zz_generated.crd-manifests/0000_00_cluster-version-operator_01_clusterversions-Default.crd.yaml",
    "config/v1/zz_generated.crd-manifests/0000_03_marketplace_01_operatorhubs.crd.yaml",
  ],
  [olm]: ["crds/operators.coreos.com_catalogsources.yaml"],
};

/** The additional CRDs of a hub: HyperShift's with their CEL rules, OCM's and its policies'. */
const ofHub = {
  [hypershift]: ofHypershift(
    "hostedclusters-Hypershift-Default",
    "hostedcontrolplanes-Hypershift-Default",
    "nodepools-Default",
  ),
  [ocm]: [
    "work/v1/0000_00_work.open-cluster-management.io_manifestworks.crd.yaml",
    "cluster/v1/0000_00_clusters.open-cluster-management.io_managedclusters.crd.yaml",
  ],
  [policies]: ["deploy/crds/policy.open-cluster-management.io_policies.yaml"],
};

/**
 * The CRDs of the Topology Aware Lifecycle Manager in hubrelay's words; the parity tier compares their fields with
 * TALM's.
 */
const ofTalm = ["clustergroupupgrades", "precachingconfigs"].map((name) =>
  join(paths.root, `infra/crds/talm/${name}.yaml`),
);

const ofHubrelay = ["maintenancewindows", "precachingreports", "readinessreports"].map((name) =>
  join(paths.root, `infra/crds/${name}.yaml`),
);

/** A CustomResourceDefinition and the path of its objects. */
export type Crd = Readonly<{
  name: string;
  group: string;
  version: string;
  plural: string;
  manifest: unknown;
}>;

function asCrd(manifest: unknown, file: string): Crd {
  const { metadata, spec } = isRecord(manifest) ? manifest : {};
  const { name } = isRecord(metadata) ? metadata : {};
  const { group, names, versions } = isRecord(spec) ? spec : {};
  const { plural } = isRecord(names) ? names : {};
  const served = Array.isArray(versions) ? versions.filter(isRecord).find(({ served }) => served) : undefined;
  const version = served?.name;
  const isComplete = [name, group, plural, version].every((value) => typeof value === "string");
  if (!isComplete) throw new Error(`${file} is no CustomResourceDefinition`);
  return {
    name: String(name),
    group: String(group),
    version: String(version),
    plural: String(plural),
    manifest,
  };
}

/** Returns the CRDs in a file. */
export const crdsOf = async (file: string): Promise<readonly Crd[]> =>
  parseAllDocuments(await readFile(file, "utf8")).map((document) => asCrd(document.toJS(), file));

/** The CRDs in files of Go modules; the go.mod in `moduleFolder` names the modules with their versions. */
export async function crdsOfModules(
  moduleFolder: string,
  filesByModule: Readonly<Record<string, readonly string[]>>,
): Promise<readonly Crd[]> {
  const crds: Crd[] = [];
  for (const [module, files] of Object.entries(filesByModule)) {
    const folder = await moduleDirectory(moduleFolder, module);
    for (const file of files) crds.push(...(await crdsOf(join(folder, file))));
  }
  return crds;
}

/** Returns the CRDs of an OpenShift cluster as OpenShift and OLM publish them. */
export const openshiftCrds = (): Promise<readonly Crd[]> => crdsOfModules(serverFolder("crds"), ofOpenshift);

/** Returns HyperShift's CRDs with the fields of every feature gate. */
export const gatedHypershiftCrds = (): Promise<readonly Crd[]> =>
  crdsOfModules(serverFolder("crds"), {
    [hypershift]: ofHypershift("hostedclusters-Hypershift-CustomNoUpgrade", "nodepools-CustomNoUpgrade"),
  });

/** A CRD for a kind of TALM of which hubrelay reads few fields: TALM's own has 200 kB, most of them about a seed image. */
function openCrd({ apiVersion, kind, plural }: Kind): Crd {
  const [group = "", version = ""] = apiVersion.split("/");
  const name = `${plural}.${group}`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const versions = [{ name: version, served: true, storage: true, schema }];
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
  const spec = { group, scope: "Namespaced", names, versions };
  const manifest = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec,
  };
  return { name, group, version, plural, manifest };
}

/** Returns all CRDs of a hub as their projects publish them, and hubrelay's own. */
export async function hubCrds(): Promise<readonly Crd[]> {
  const published = await crdsOfModules(serverFolder("crds"), { ...ofOpenshift, ...ofHub });
  const written = await Promise.all([...ofTalm, ...ofHubrelay].map(crdsOf));
  return [...published, ...written.flat(), openCrd(kinds.ImageBasedGroupUpgrade)];
}

/** What `infra/kubernetes` uses of the CRDs of KEDA and of the Prometheus operator, and Routes. */
export async function addOnCrds(): Promise<readonly Crd[]> {
  const routes = { "github.com/openshift/api": ["route/v1/zz_generated.crd-manifests/routes.crd.yaml"] };
  const addOns = await crdsOfModules(serverFolder("add-ons"), {
    "github.com/kedacore/keda/v2": ["keda.sh_scaledobjects", "keda.sh_triggerauthentications"].map(
      (name) => `config/crd/bases/${name}.yaml`,
    ),
    "github.com/prometheus-operator/prometheus-operator": ["podmonitors", "prometheusrules"].map(
      (name) => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`,
    ),
  });
  return [...addOns, ...(await crdsOfModules(serverFolder("crds"), routes))];
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const patienceMs = 120_000;

/** Sends a request until the server's answer is another than this error: it creates and removes kinds in the background. */
async function sendUntilNot(code: HubError["code"], api: Connection, request: ApiRequest): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      await api.send(request);
      return;
    } catch (error) {
      if (!(error instanceof HubError && error.code === code) || performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

/** Installs CustomResourceDefinitions, also while earlier ones are being removed, and waits until they are served. */
export async function installCrds(api: Connection, crds: readonly Crd[]): Promise<void> {
  const all = (send: (crd: Crd) => Promise<void>) => Promise.all(crds.map(send));
  await all(({ name, manifest: body }) =>
    sendUntilNot("AlreadyExists", api, { what: `create ${name}`, method: "POST", path: definitions, body }),
  );
  await all(({ name, group, version, plural }) => {
    const path = `/apis/${group}/${version}/${plural}`;
    return sendUntilNot("NotFound", api, {
      what: `list ${name}`,
      method: "GET",
      path,
      query: { limit: "1" },
    });
  });
}

/** Removes a CustomResourceDefinition; its objects are removed a moment later. */
export async function removeCrd(api: Connection, { name }: Crd): Promise<void> {
  await api.send({ what: `delete ${name}`, method: "DELETE", path: `${definitions}/${name}` });
}

const anyContent: object = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/**
 * Returns a CRD for a kind without a published one: any content unless it has a schema, and a status subresource. The kind has no published
 * CRD at all, or an API server of its own serves it (ImageStream, by openshift-apiserver), which validates in code:
 * what that server would refuse or default does not show here.
 */
export function looseCrd({ apiVersion, kind, plural, namespaced }: Kind, schema = anyContent): Crd {
  const [group = "", version = ""] = apiVersion.split("/");
  const name = `${plural}.${group}`;
  const manifest = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name,
      // The API server protects the groups of Kubernetes; this annotation marks the CRD as a stand-in.
      annotations: { "api-approved.kubernetes.io": "unapproved, a stand-in for tests" },
    },
    spec: {
      group,
      scope: namespaced ? "Namespaced" : "Cluster",
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
        },
      ],
    },
  };
  return { name, group, version, plural, manifest };
}
