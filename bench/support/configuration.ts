import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { configureMirrors, type MirrorInput } from "#shared/domain/mirrors/configuration.ts";

/** One rule of a mirror object, as in the object's manifest. */
export type RuleManifest = Readonly<{
  source: string;
  mirrors?: readonly string[];
  mirrorSourcePolicy?: string;
}>;

/** The input for registries.conf, in the form that the Go program reads. */
export type Configuration = Readonly<{
  /** The text of registries.conf to which machine-config-operator adds the mirrors. */
  template: string;
  insecure: readonly string[];
  blocked: readonly string[];
  idms: readonly KubernetesObject[];
  icsp: readonly KubernetesObject[];
  itms: readonly KubernetesObject[];
  /** The release image that nodes must be able to pull; absent for a cluster without ClusterVersion. */
  releaseImage?: string;
  /** Image policies of the cluster, sorted by name. */
  clusterImagePolicies?: readonly KubernetesObject[];
  /** Image policies of namespaces, sorted by namespace and name. */
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

/** Returns an ImageContentSourcePolicy with these rules. The kind has no field `mirrorSourcePolicy`. */
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

/** Returns the configuration as input of hubrelay. Its kinds are not in the order in which hubrelay uses them. */
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

/** Returns the bytes of registries.conf that machine-config-operator would write. Throws if the input is refused. */
export function registriesConfBytes(input: MirrorInput): Uint8Array {
  const { refused, registriesConf, issues } = configureMirrors(input, { isStored: true });
  if (refused) throw new Error(`the configuration is refused: ${issues[0]?.message}`);
  return Buffer.from(registriesConf);
}

/** Reports whether a file of the examples is valid. hubrelay writes nothing while the hub has an invalid file. */
export const isValidExample = (path: string): boolean => !path.endsWith("mistake.yaml");
