import { fieldIssue, fieldWarning, type Issue } from "../../issues/issue.ts";
import { fieldsOf, textOf } from "../../kubernetes/json/values.ts";
import { displayName, isKind, type KubernetesObject, kinds, referenceTo } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { readMirrorObjects } from "./read-mirror-sets.ts";

/** The only namespace where MCO reads the ConfigMap of trusted CAs (pkg/operator/sync.go, getImageRegistryBundles). */
const namespace = "openshift-config";
const path = "spec.additionalTrustedCA.name";

/** Keys have no colon: nodes read `..` as the colon before a port. */
const keyOf = (registry: string): string => registry.replace(":", "..");

function keyIssues(configMap: KubernetesObject, registries: ReadonlySet<string>): readonly Issue[] {
  const { data, binaryData } = fieldsOf(configMap);
  const fields = { data: fieldsOf(data), binaryData: fieldsOf(binaryData) };
  const keys = new Set(Object.values(fields).flatMap(Object.keys));
  return Object.entries(fields).flatMap(([field, values]) =>
    Object.keys(values).flatMap((key): Issue[] => {
      const at = sentence`${field}["${key}"]`;
      if (!/^[-._a-zA-Z0-9]{1,253}$/.test(key))
        return [
          fieldIssue(configMap, at, key, {
            code: "InvalidValue",
            message: sentence`a key of a ConfigMap has only letters, digits, ".", "_" and "-", not ${key}`,
            remedy: sentence`Write ${keyOf(key)}.`,
          }),
        ];
      const ported = [...registries].filter((one) => one.startsWith(`${key}:`) && !keys.has(keyOf(one)));
      if (registries.has(key)) return [];
      return ported.map((registry) =>
        fieldWarning(configMap, at, key, {
          code: "TrustedCaNotApplied",
          message: sentence`the certificate of ${key} does not apply to the mirror ${registry}: nodes look for one of host and port`,
          remedy: sentence`Write the key ${keyOf(registry)}.`,
        }),
      );
    }),
  );
}

/** Returns the name of the ConfigMap whose CA certificates the Image adds (`spec.additionalTrustedCA`). */
export const trustedCaName = (image: KubernetesObject | undefined): string | undefined =>
  textOf(fieldsOf(fieldsOf(image?.spec).additionalTrustedCA).name);

/**
 * Returns issues about certificates that nodes ignore in the ConfigMap of `additionalTrustedCA`:
 * machine-config-operator only logs this. A ConfigMap that is not among the objects is not reported as missing.
 */
export function trustedCaIssues(
  objects: readonly KubernetesObject[],
  image: KubernetesObject | undefined,
): readonly Issue[] {
  const name = trustedCaName(image);
  const named = objects.filter((one) => isKind(kinds.ConfigMap, one) && one.metadata.name === name);
  const [elsewhere] = named;
  if (!image || !name || !elsewhere) return [];
  const read = named.find(({ metadata }) => metadata.namespace === namespace);
  if (!read)
    return [
      fieldWarning(image, path, name, {
        code: "TrustedCaNotApplied",
        message: sentence`${displayName(referenceTo(elsewhere))} is not read: machine-config-operator looks for it in the namespace ${namespace}, and nodes trust no certificate of it`,
        remedy: sentence`Create it in ${namespace}.`,
      }),
    ];
  const { rules } = readMirrorObjects(objects, "operator");
  const hosts = rules.flatMap(({ mirrors }) => mirrors.map((mirror) => mirror.split("/", 1)[0] ?? ""));
  return keyIssues(read, new Set(hosts));
}
