/** A file on a node: absolute path, permission bits, and its content as text. */
export type NodeFile = Readonly<{ path: string; mode: number; contents: string }>;

/** The paths of the rendered files. */
export const nodePaths = {
  registriesConf: "/etc/containers/registries.conf",
  policy: "/etc/containers/policy.json",
  sigstoreRegistries: "/etc/containers/registries.d/sigstore-registries.yaml",
  searchRegistries: "/etc/containers/registries.conf.d/01-image-searchRegistries.conf",
} as const;

/** Returns the path of the signature policy of one namespace. */
export function namespacePolicyPath(namespace: string): string {
  return `/etc/crio/policies/${namespace}.json`;
}

/** Returns the namespace whose signature policy has this path; undefined for other files. */
export function namespaceOfPolicyPath(path: string): string | undefined {
  return /^\/etc\/crio\/policies\/([^/]+)\.json$/.exec(path)?.[1];
}

/** Returns a file that everybody may read and root may write, like all rendered files. */
export function textFile(path: string, contents: string): NodeFile {
  return { path, mode: 0o644, contents };
}
