import type { Kind, KubernetesObject } from "../../kubernetes/object.ts";
import { type ExpectedObject, expectedObjects, traceKinds } from "./expected-objects.ts";
import type { RegistryTraces } from "./trace.ts";

export const controlPlaneNamespace = "clusters-shop";
type Fields = Readonly<Record<string, unknown>>;

export const anObject = (
  kind: Kind,
  name: string,
  namespace?: string,
  fields: Fields = {},
): KubernetesObject => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name, ...(kind.namespaced && namespace ? { namespace } : {}) },
  ...fields,
});
const objectOf = ({ where, kind, name, namespace }: ExpectedObject) =>
  anObject(kind, name, where === "controlPlane" ? controlPlaneNamespace : namespace);

export const config = (name: string, file: string, content: unknown) =>
  anObject(traceKinds.ConfigMap, name, controlPlaneNamespace, { data: { [file]: JSON.stringify(content) } });
export const configs = (host: string | undefined, controllers?: readonly string[]) => [
  config("openshift-controller-manager-config", "config.yaml", {
    ...(controllers ? { controllers } : {}),
    dockerPullSecret: { internalRegistryHostname: host ?? "" },
  }),
  config("openshift-apiserver", "config.yaml", {
    imagePolicyConfig: { internalRegistryHostname: host ?? "" },
  }),
  config("kas-config", "config.json", { imagePolicyConfig: { internalRegistryHostname: host } }),
];
export const host = "image-registry.openshift-image-registry.svc:5000";
export const off = ["*", "-openshift.io/serviceaccount-pull-secrets"];

/** A cluster on a platform with everything that its registry needs. */
export function aWholeCluster(platform: string): RegistryTraces {
  const kept = expectedObjects.filter(
    ({ platforms, isUserData }) => !isUserData && (platforms?.includes(platform) ?? true),
  );
  return {
    isDisabled: false,
    platform,
    controlPlaneNamespace,
    controlPlane: [...kept.filter(({ where }) => where === "controlPlane").map(objectOf), ...configs(host)],
    guest: kept.filter(({ where }) => where === "guest").map(objectOf),
  };
}

/** A cluster that never had a registry. */
export const registryOff: RegistryTraces = {
  isDisabled: true,
  platform: "AWS",
  controlPlaneNamespace,
  controlPlane: configs(undefined, off),
  guest: [],
};
export const inGuest = (...objects: readonly KubernetesObject[]): RegistryTraces => ({
  ...registryOff,
  guest: [...(registryOff.guest ?? []), ...objects],
});
export const credentials = anObject(
  traceKinds.Secret,
  "installer-cloud-credentials",
  "openshift-image-registry",
);
export const anAccount = (name: string, ...secrets: readonly string[]) =>
  anObject(traceKinds.ServiceAccount, name, "shop", {
    imagePullSecrets: secrets.map((secret) => ({ name: secret })),
  });
export const registryConfig = (fields: Fields) =>
  anObject(traceKinds.RegistryConfig, "cluster", undefined, fields);

/** A cluster on AWS with its registry. */
export const whole = aWholeCluster("AWS");
export const claim = "PersistentVolumeClaim/openshift-image-registry/image-registry-storage";
export const ofController = "ConfigMap/clusters-shop/openshift-controller-manager-config config.yaml:";
export const withConfigs = (traces: RegistryTraces, given: readonly KubernetesObject[]): RegistryTraces => ({
  ...traces,
  controlPlane: [...traces.controlPlane.slice(0, -3), ...given],
});
