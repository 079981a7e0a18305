import { isDnsSubdomain } from "#shared/domain/issues/object-name.ts";
import { isRecord } from "#shared/domain/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { secretText } from "#shared/domain/kubernetes/secret-text.ts";
import { readRegistrySources } from "#shared/domain/mirrors/input/read-image.ts";
import type { HubReader } from "#shared/ports/hub.ts";
import type { RegistryAccess } from "#shared/ports/registry.ts";
import {
  imageConfigName,
  imageConfigNamespace,
  pullSecretField,
  pullSecretName,
  trustBundleField,
  trustBundleName,
} from "../well-known-names.ts";
import { ifPermitted } from "./if-permitted.ts";

function textIn(configMap: KubernetesObject | undefined, field: string): string | undefined {
  const value = isRecord(configMap?.data) ? configMap.data[field] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The authorities of single registries: a ConfigMap's keys are their hosts, with `..` before a port. */
function registryAuthorities(configMap: KubernetesObject | undefined): Readonly<Record<string, string>> {
  const data: Readonly<Record<string, unknown>> = isRecord(configMap?.data) ? configMap.data : {};
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) =>
      typeof value === "string" ? [[key.replace("..", ":"), value] as const] : [],
    ),
  );
}

/** As whom registries are asked, and what is missing in that since the account may not read it. */
export type AskingAs = Readonly<{
  access: RegistryAccess;
  /** The ConfigMap in `openshift-config` with the authorities of registries. */
  unreadAuthorities: string | undefined;
}>;

/** The ConfigMap that Image `cluster` names for the authorities of registries, in `openshift-config`. */
export function namedAuthorities(image: KubernetesObject | undefined): string | undefined {
  const { name } = Object(Object(image?.spec).additionalTrustedCA);
  return typeof name === "string" && isDnsSubdomain(name) ? name : undefined;
}

/** What the management cluster's own nodes are told of registries: whom to trust, and whom without a certificate. */
export async function imageConfigAccess(hub: HubReader): Promise<AskingAs> {
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

/**
 * As whom a hosted cluster asks registries, and whom it trusts, with what holds for every registry of the management
 * cluster; `namespace` is that of its control plane.
 */
export async function registryAccess(hub: HubReader, namespace: string): Promise<AskingAs> {
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
