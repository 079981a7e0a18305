import { isKind, type Kind, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { type NodeFile, namespaceOfPolicyPath, nodePaths } from "../machine-config/node-file.ts";
import type { MirrorInput } from "./configuration.ts";

/** Sorts objects into the input of the mirror configuration. */
export function mirrorInputOf(objects: readonly KubernetesObject[]): MirrorInput {
  const named = (kind: Kind, name: string): KubernetesObject | undefined =>
    objects.find((object) => isKind(kind, object) && object.metadata.name === name);
  const image = named(kinds.Image, "cluster");
  const clusterVersion = named(kinds.ClusterVersion, "version");
  return { objects, ...(image ? { image } : {}), ...(clusterVersion ? { clusterVersion } : {}) };
}

/** Returns what the next configuration keeps of the files that are applied now. */
export function previousOf(files: readonly NodeFile[]): NonNullable<MirrorInput["previous"]> {
  const contentsOf = (path: string) => files.find((file) => file.path === path)?.contents ?? "";
  const ofNamespaces = files.flatMap(({ path, contents }) => {
    const namespace = namespaceOfPolicyPath(path);
    return namespace === undefined ? [] : [[namespace, contents] as const];
  });
  return {
    registriesConf: contentsOf(nodePaths.registriesConf),
    policyJson: contentsOf(nodePaths.policy),
    namespacePolicies: new Map(ofNamespaces),
  };
}
