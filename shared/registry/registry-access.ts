import { isDnsSubdomain } from "../domain/issues/object-name.ts";
import { fieldsOf, ownValue } from "../domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds, secretText } from "../domain/kubernetes/object.ts";
import { readRegistrySources } from "../domain/mirrors/input/read-image.ts";
import { type HubReader, ifPermitted } from "../ports/hub.ts";
import type { RegistryAccess } from "../ports/registry.ts";

/** The Secret with registry credentials, in `openshift-config` or in the namespace of a hosted control plane. */
export const pullSecretName = "pull-secret";
const pullSecretField = ".dockerconfigjson";
/** The ConfigMap with the certificate authorities that a hosted cluster trusts in addition to the default ones. */
export const trustBundleName = "user-ca-bundle";
const trustBundleField = "ca-bundle.crt";

/** The Image object with the registry configuration of a cluster's nodes. */
export const imageConfigName = "cluster";
export const imageConfigNamespace = "openshift-config";

function textIn(configMap: KubernetesObject | undefined, field: string): string | undefined {
  const value = ownValue(fieldsOf(configMap?.data), field);
  return typeof value === "string" ? value : undefined;
}

/** Returns PEM certificates by `host[:port]`. A key of the ConfigMap has `..` instead of the colon. */
function registryAuthorities(configMap: KubernetesObject | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(configMap?.data)).flatMap(([key, value]) =>
      typeof value === "string" ? [[key.replace("..", ":"), value] as const] : [],
    ),
  );
}

/** The settings for registry requests, from all objects that hubrelay may read. */
export type ResolvedAccess = Readonly<{
  access: RegistryAccess;
  /** The name of the ConfigMap with registries' authorities. Undefined if hubrelay has read it or there is none. */
  unreadAuthorities: string | undefined;
}>;

/** Returns the name of the ConfigMap with authorities that the Image object names. Undefined if it names none. */
export function namedAuthorities(image: KubernetesObject | undefined): string | undefined {
  const { name } = fieldsOf(fieldsOf(image?.spec).additionalTrustedCA);
  return typeof name === "string" && isDnsSubdomain(name) ? name : undefined;
}

/** Reads the trusted authorities and the insecure hosts of the management cluster's nodes. */
export async function imageConfigAccess(hub: Pick<HubReader, "get">): Promise<ResolvedAccess> {
  const { found } = await ifPermitted(hub.get(kinds.Image, imageConfigName));
  const insecureHosts = (readRegistrySources(found).sources.insecure ?? []).map(({ scope }) => scope);
  const named = namedAuthorities(found);
  const trusted =
    named === undefined
      ? undefined
      : await ifPermitted(hub.get(kinds.ConfigMap, named, imageConfigNamespace));
  const authoritiesOf = registryAuthorities(trusted?.found);
  return {
    access: {
      ...(insecureHosts.length > 0 ? { insecureHosts } : {}),
      ...(Object.keys(authoritiesOf).length > 0 ? { authoritiesOf } : {}),
    },
    unreadAuthorities: trusted?.isPermitted === false ? named : undefined,
  };
}

/** Reads the credentials, trusted authorities and insecure hosts of the hub's nodes. */
export async function nodeAccess(hub: Pick<HubReader, "get">): Promise<ResolvedAccess> {
  const [secret, ofHub] = await Promise.all([
    ifPermitted(hub.get(kinds.Secret, pullSecretName, imageConfigNamespace)),
    imageConfigAccess(hub),
  ]);
  const pullSecret = secretText(secret.found, pullSecretField);
  return { ...ofHub, access: { ...ofHub.access, ...(pullSecret ? { pullSecret } : {}) } };
}

/** Like `nodeAccess`, but also reads the authorities that the Proxy object names. Nodes trust them for all hosts. */
export async function clusterAccess(hub: Pick<HubReader, "get">): Promise<ResolvedAccess> {
  const [own, proxy] = await Promise.all([
    nodeAccess(hub),
    ifPermitted(hub.get(kinds.Proxy, imageConfigName)),
  ]);
  const { name } = fieldsOf(fieldsOf(proxy.found?.spec).trustedCA);
  const isNamed = typeof name === "string" && isDnsSubdomain(name);
  const bundle = isNamed
    ? await ifPermitted(hub.get(kinds.ConfigMap, name, imageConfigNamespace))
    : undefined;
  const authorities = textIn(bundle?.found, trustBundleField);
  return { ...own, access: { ...own.access, ...(authorities ? { authorities } : {}) } };
}

/** Reads the registry credentials and settings of a hosted cluster. `namespace` is the control plane's namespace. */
export async function registryAccess(
  hub: Pick<HubReader, "get">,
  namespace: string,
): Promise<ResolvedAccess> {
  const [secret, bundle, ofHub] = await Promise.all([
    ifPermitted(hub.get(kinds.Secret, pullSecretName, namespace)),
    ifPermitted(hub.get(kinds.ConfigMap, trustBundleName, namespace)),
    imageConfigAccess(hub),
  ]);
  const pullSecret = secretText(secret.found, pullSecretField);
  const authorities = textIn(bundle.found, trustBundleField);
  return {
    ...ofHub,
    access: {
      ...ofHub.access,
      ...(pullSecret ? { pullSecret } : {}),
      ...(authorities ? { authorities } : {}),
    },
  };
}
