import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { isFields } from "#shared/domain/kubernetes/manifest-object.ts";
import { go } from "./go.ts";

const moduleFolder = join(import.meta.dirname, "../servers/crds");

const openshift = "github.com/openshift/api";
const hypershift = "github.com/openshift/hypershift";
const ocm = "open-cluster-management.io/api";

const inPayload = (...names: readonly string[]) =>
  names.map((name) => `payload-manifests/crds/${name}.crd.yaml`);

/** The CRDs of a hub, by the module that publishes them; of several variants the one of a default cluster. */
const published: Readonly<Record<string, readonly string[]>> = {
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
  ],
  [hypershift]: ["hostedclusters-Hypershift-Default", "hostedcontrolplanes-Hypershift-Default"].map(
    (name) => `cmd/install/assets/crds/hypershift-operator/zz_generated.crd-manifests/${name}.crd.yaml`,
  ),
  [ocm]: [
    "work/v1/0000_00_work.open-cluster-management.io_manifestworks.crd.yaml",
    "cluster/v1/0000_00_clusters.open-cluster-management.io_managedclusters.crd.yaml",
  ],
};

/** A CustomResourceDefinition, and where its objects are served. */
export type Crd = Readonly<{
  name: string;
  group: string;
  version: string;
  plural: string;
  manifest: unknown;
}>;

/** The folder of a module of a go.mod, downloaded and checked against go.sum when it is not in Go's cache. */
async function moduleDirectory(moduleFolder: string, module: string): Promise<string> {
  const answer: unknown = JSON.parse(await go(moduleFolder, ["mod", "download", "-json", module]));
  if (isFields(answer) && typeof answer.Dir === "string") return answer.Dir;
  throw new Error(`go mod download ${module} names no folder`);
}

function asCrd(manifest: unknown, file: string): Crd {
  const { metadata, spec } = isFields(manifest) ? manifest : {};
  const { name } = isFields(metadata) ? metadata : {};
  const { group, names, versions } = isFields(spec) ? spec : {};
  const { plural } = isFields(names) ? names : {};
  const served = Array.isArray(versions) ? versions.filter(isFields).find(({ served }) => served) : undefined;
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

/** The CRDs in files of Go modules, which the go.mod in `moduleFolder` names with their versions. */
export async function crdsOfModules(
  moduleFolder: string,
  filesByModule: Readonly<Record<string, readonly string[]>>,
): Promise<readonly Crd[]> {
  const crds: Crd[] = [];
  for (const [module, files] of Object.entries(filesByModule)) {
    const folder = await moduleDirectory(moduleFolder, module);
    for (const file of files)
      for (const document of parseAllDocuments(await readFile(join(folder, file), "utf8")))
        crds.push(asCrd(document.toJS(), file));
  }
  return crds;
}

/** All CRDs of a hub, as their projects publish them. */
export const publishedCrds = (): Promise<readonly Crd[]> => crdsOfModules(moduleFolder, published);
