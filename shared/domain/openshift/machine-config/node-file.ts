/** A file on a node, with its absolute path, its permission bits and its content as text. */
export type NodeFile = Readonly<{
  path: string;
  mode: number;
  contents: string;
  /** The name of the MachineConfig that writes the file; absent if the file is not from merged MachineConfigs. */
  writtenBy?: string;
  /**
   * Why machine-config-operator refuses the MachineConfig in `writtenBy`; absent if it accepts it. After a refusal, the
   * pool's nodes keep their present files, whose contents are unknown: `contents` is empty.
   */
  refusal?: string;
}>;

/** The paths of the files that hubrelay renders. */
export const nodePaths = {
  registriesConf: "/etc/containers/registries.conf",
  policy: "/etc/containers/policy.json",
  sigstoreRegistries: "/etc/containers/registries.d/sigstore-registries.yaml",
  searchRegistries: "/etc/containers/registries.conf.d/01-image-searchRegistries.conf",
} as const;

const folders = {
  dropIns: "/etc/containers/registries.conf.d/",
  attachments: "/etc/containers/registries.d/",
  namespacePolicies: "/etc/crio/policies/",
  runtime: "/etc/crio/crio.conf.d/",
} as const;

/** Reports whether CRI-O reads this file as a drop-in of registries.conf. */
export function isDropIn(path: string): boolean {
  const { dropIns } = folders;
  return path.startsWith(dropIns) && path.endsWith(".conf") && !path.slice(dropIns.length).includes("/");
}

/** Reports whether CRI-O reads the locations of signatures from this file. */
export function isSignatureStorage(path: string): boolean {
  const { attachments } = folders;
  return (
    path.startsWith(attachments) && path.endsWith(".yaml") && !path.slice(attachments.length).includes("/")
  );
}

/** Reports whether this file configures image pulls. */
export function isPullFile(path: string): boolean {
  const inFolder = [folders.attachments, folders.namespacePolicies].some((folder) => path.startsWith(folder));
  return path === nodePaths.registriesConf || path === nodePaths.policy || isDropIn(path) || inFolder;
}

/** Reports whether CRI-O reads settings from this file. */
export function isRuntimeDropIn(path: string): boolean {
  return path.startsWith(folders.runtime);
}

/** Returns the path of the signature policy of one namespace. */
export function namespacePolicyPath(namespace: string): string {
  return `${folders.namespacePolicies}${namespace}.json`;
}

/** Returns the namespace whose signature policy has this path; undefined for other files. */
export function namespaceOfPolicyPath(path: string): string | undefined {
  return /^\/etc\/crio\/policies\/([^/]+)\.json$/.exec(path)?.[1];
}

/** Returns a file with the mode 0644, which all rendered files have. */
export function textFile(path: string, contents: string): NodeFile {
  return { path, mode: 0o644, contents };
}
