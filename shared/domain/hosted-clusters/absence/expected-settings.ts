/** A setting in a configuration file of the control plane that depends on a capability. */
export type ExpectedSetting = Readonly<{
  capability: string;
  /** In the control plane's namespace. */
  configMap: string;
  /** The file in the ConfigMap. */
  file: string;
  /** Where in the file. */
  path: readonly string[];
  /** What it is with the capability, and what without: undefined stands for nothing, which is like an empty text. */
  enabled: unknown;
  disabled: unknown;
  /** With the capability, others may write it: it is judged for a cluster without it alone. */
  isOthersToo?: boolean;
}>;

const registryHost = "image-registry.openshift-image-registry.svc:5000";

/** Without it no service account is given a pull secret. */
export const pullSecretsOff = "-openshift.io/serviceaccount-pull-secrets";

/** On these HyperShift does not look at the registry's own configuration. */
export const withoutOlderWay: readonly string[] = ["IBMCloud", "Azure"];

/** Source: github.com/openshift/hypershift v0.1.81, packages ocm, oapi and kas of the control-plane operator. */
export const expectedSettings: readonly ExpectedSetting[] = [
  {
    capability: "ImageRegistry",
    configMap: "openshift-controller-manager-config",
    file: "config.yaml",
    path: ["controllers"],
    enabled: undefined,
    disabled: ["*", pullSecretsOff],
    isOthersToo: true,
  },
  {
    capability: "ImageRegistry",
    configMap: "openshift-controller-manager-config",
    file: "config.yaml",
    path: ["dockerPullSecret", "internalRegistryHostname"],
    enabled: registryHost,
    disabled: undefined,
  },
  {
    capability: "ImageRegistry",
    configMap: "openshift-apiserver",
    file: "config.yaml",
    path: ["imagePolicyConfig", "internalRegistryHostname"],
    enabled: registryHost,
    disabled: undefined,
  },
  {
    capability: "ImageRegistry",
    configMap: "kas-config",
    file: "config.json",
    path: ["imagePolicyConfig", "internalRegistryHostname"],
    enabled: registryHost,
    disabled: undefined,
  },
];

/** The ConfigMaps of a control plane that hold settings: of every capability, or of those named. */
export function settingsConfigMaps(
  isAskedFor: (capability: string) => boolean = () => true,
): readonly string[] {
  const settings = expectedSettings.filter(({ capability }) => isAskedFor(capability));
  return [...new Set(settings.map(({ configMap }) => configMap))];
}
