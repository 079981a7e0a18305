import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors, type MirrorInput } from "#shared/domain/mirrors/configuration.ts";

/** One entry of a rule list, as the API writes it. */
export type RuleManifest = Readonly<{
  source: string;
  mirrors?: readonly string[];
  mirrorSourcePolicy?: string;
}>;

/**
 * The input of registries.conf in the form that the Go peer reads. The order of the lists decides only which of several
 * errors is reported.
 */
export type Configuration = Readonly<{
  /** The file that the peer edits: the one that machine-config-operator ships. */
  template: string;
  insecure: readonly string[];
  blocked: readonly string[];
  idms: readonly KubernetesObject[];
  icsp: readonly KubernetesObject[];
  itms: readonly KubernetesObject[];
  /** The release image that nodes must be able to pull; absent for a cluster without ClusterVersion. */
  releaseImage?: string;
  /** The cluster's image policies, sorted by name; `imagePolicies` are those of namespaces, by namespace and name. */
  clusterImagePolicies?: readonly KubernetesObject[];
  imagePolicies?: readonly KubernetesObject[];
}>;

/** The registries.conf that machine-config-operator ships for every role. */
export const shippedTemplate =
  "unqualified-search-registries = ['registry.access.redhat.com', 'docker.io']\n";

export function imageDigestMirrorSet(name: string, rules: readonly RuleManifest[]): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "ImageDigestMirrorSet",
    metadata: { name },
    spec: { imageDigestMirrors: rules },
  };
}

export function imageTagMirrorSet(name: string, rules: readonly RuleManifest[]): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "ImageTagMirrorSet",
    metadata: { name },
    spec: { imageTagMirrors: rules },
  };
}

/** Returns an ImageContentSourcePolicy with these rules, but without `mirrorSourcePolicy`, which the kind lacks. */
export function imageContentSourcePolicy(name: string, rules: readonly RuleManifest[]): KubernetesObject {
  return {
    apiVersion: "operator.openshift.io/v1alpha1",
    kind: "ImageContentSourcePolicy",
    metadata: { name },
    spec: {
      repositoryDigestMirrors: rules.map(({ source, mirrors }) => ({
        source,
        ...(mirrors ? { mirrors } : {}),
      })),
    },
  };
}

/** Returns the Image configuration as users write it: without empty lists. */
function imageConfig({ insecure, blocked }: Pick<Configuration, "insecure" | "blocked">): KubernetesObject {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "Image",
    metadata: { name: "cluster" },
    spec: {
      registrySources: {
        ...(insecure.length > 0 ? { insecureRegistries: insecure } : {}),
        ...(blocked.length > 0 ? { blockedRegistries: blocked } : {}),
      },
    },
  };
}

/**
 * Returns the configuration as hubrelay reads it. The objects are not in the order of kinds in which hubrelay processes
 * objects, so that hubrelay has to restore that order.
 */
export function mirrorInput(configuration: Configuration): MirrorInput {
  const { idms, icsp, itms, releaseImage } = configuration;
  const { clusterImagePolicies = [], imagePolicies = [] } = configuration;
  return {
    image: imageConfig(configuration),
    objects: [...itms, ...icsp, ...idms, ...imagePolicies, ...clusterImagePolicies],
    ...(releaseImage === undefined ? {} : { releaseImage }),
  };
}

/** Returns `mirrorInput(configuration)` with strings as a parser makes them: concatenated strings are slower. */
export function asRead(configuration: Configuration): MirrorInput {
  return mirrorInput(JSON.parse(JSON.stringify(configuration)));
}

/** Returns the bytes of registries.conf that machine-config-operator would write. Throws for a refused input. */
export function registriesConfBytes(input: MirrorInput): Uint8Array {
  const { refused, registriesConf, issues } = configureMirrors(input, { isStored: true });
  if (refused) throw new Error(`the configuration is refused: ${issues[0]?.message}`);
  return Buffer.from(registriesConf);
}

/** Reports whether an example file is valid. With an invalid file, hubrelay refuses all mirrors and writes nothing. */
export const isValidExample = (path: string): boolean => !path.endsWith("mistake.yaml");
