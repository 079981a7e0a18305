import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseDocument } from "yaml";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";
import { type Crd, crdsOfModules } from "../manifests/crds.ts";
import { fillIn, moduleDirectory } from "../programs/go.ts";
import { serverFolder } from "../programs/go-program.ts";

const module = "open-cluster-management.io/ocm";
const folder = serverFolder("work-agent");

/** The namespace and the account of the agent on a managed cluster that OCM's operator installs with its defaults. */
export const agentAccount = {
  namespace: "open-cluster-management-agent",
  name: "klusterlet-work-sa",
} as const;

const values = {
  KlusterletName: "klusterlet",
  KlusterletNamespace: agentAccount.namespace,
  AgentNamespace: agentAccount.namespace,
  WorkServiceAccount: agentAccount.name,
};

const onManagedCluster = [
  "managed/klusterlet-work-serviceaccount",
  "managed/klusterlet-work-clusterrole",
  "managed/klusterlet-work-clusterrolebinding",
  "managed/klusterlet-work-clusterrole-execution",
  "managed/klusterlet-work-clusterrolebinding-aggregate",
  "managed/klusterlet-work-clusterrolebinding-execution-admin",
  "management/klusterlet-work-role",
  "management/klusterlet-work-rolebinding",
  "management/klusterlet-role-extension-apiserver",
  "management/klusterlet-work-rolebinding-extension-apiserver",
].map((name) => `manifests/klusterlet/${name}.yaml`);

const onHub = ["managedcluster-work-clusterrole", "managedcluster-work-rolebinding"].map(
  (name) => `pkg/registration/hub/manifests/rbac/${name}.yaml`,
);

async function filledIn(
  files: readonly string[],
  values: Readonly<Record<string, string>>,
): Promise<readonly KubernetesObject[]> {
  const directory = await moduleDirectory(folder, module);
  return Promise.all(
    files.map(async (file) => {
      const text = fillIn(await readFile(join(directory, file), "utf8"), values);
      const object = tryParseManifestObject(parseDocument(text).toJS());
      if (!object) throw new Error(`${file} is no Kubernetes object`);
      return object;
    }),
  );
}

/** The role that OCM's operator creates in code, not from a file: it aggregates all roles with the agent's label. */
const aggregate = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: `open-cluster-management:${values.KlusterletName}-work:aggregate` },
  aggregationRule: {
    clusterRoleSelectors: [{ matchLabels: { "open-cluster-management.io/aggregate-to-work": "true" } }],
  },
  rules: [],
};

/** Returns the work agent's account and roles on a managed cluster, as OCM's operator installs them. */
export const managedClusterRoles = async (): Promise<readonly KubernetesObject[]> => [
  ...(await filledIn(onManagedCluster, values)),
  aggregate,
];

/** Returns the work agent's roles on the hub, for one managed cluster. */
export const hubRoles = (name: string): Promise<readonly KubernetesObject[]> =>
  filledIn(onHub, { ManagedClusterName: name });

/** The kinds that the agent writes on a managed cluster. */
export const managedClusterCrds = (): Promise<readonly Crd[]> =>
  crdsOfModules(folder, {
    [module]: [
      "manifests/klusterlet/managed/0000_01_work.open-cluster-management.io_appliedmanifestworks.crd.yaml",
    ],
  });
