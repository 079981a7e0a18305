import { type PullSecret, parsePullSecret } from "../images/pull-secret.ts";
import { hostOf } from "../images/scope.ts";
import { fieldWarning, type Issue, type IssueObject } from "../issues/issue.ts";
import { byCodeUnit, fieldsOf, listOf, someOf } from "../kubernetes/json/values.ts";
import { isOfAnyVersion, type KubernetesObject, kinds } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";

/** As in `matchImages`: each `*` is one part of the host, and the path is a prefix. */
function matches(pattern: string, image: string): boolean {
  const [host = "", ...path] = pattern.split("/");
  const [name = "", port] = host.split(":");
  const [imageName = "", imagePort] = hostOf(image).split(":");
  const parts = name.split(".");
  const imageParts = imageName.split(".");
  return (
    parts.length === imageParts.length &&
    parts.every((part, index) => part === "*" || part === imageParts[index]) &&
    (port === undefined || port === imagePort) &&
    image.slice(hostOf(image).length + 1).startsWith(path.join("/"))
  );
}

/**
 * Returns a function that reports whether nodes may pull an image, or from its mirrors, with a login of the pod's
 * namespace: the CRIOCredentialProviderConfig `cluster` names such images. Source: openshift/api,
 * config/v1alpha1/types_crio_credential_provider_config.go, 2026-08.
 */
export function namespaceLogins(objects: readonly KubernetesObject[]): (image: string) => boolean {
  const config = objects.find(
    (object) =>
      isOfAnyVersion(kinds.CRIOCredentialProviderConfig, object) && object.metadata.name === "cluster",
  );
  const { matchImages } = fieldsOf(config?.spec);
  const patterns = listOf(matchImages).filter((one) => typeof one === "string");
  return (image) => patterns.some((pattern) => matches(pattern, image));
}

function leftToPrograms({ credentials, empty, programs }: PullSecret) {
  const named = [...programs.byRegistry].filter(([registry]) => !credentials.has(registry));
  const inStore = empty.filter((registry) => !programs.byRegistry.has(registry));
  const isStoreNeeded = programs.others !== undefined && (inStore.length > 0 || credentials.size === 0);
  const used = [
    ...named.map(([, program]) => program),
    ...(isStoreNeeded && programs.others !== undefined ? [programs.others] : []),
  ];
  return {
    registries: [...named.map(([registry]) => registry), ...(isStoreNeeded ? inStore : [])].sort(byCodeUnit),
    programs: [...new Set(used)].map((program) => `docker-credential-${program}`).sort(byCodeUnit),
  };
}

/**
 * Returns one warning about logins in credential helpers of a pull secret (`credHelpers`, `credsStore`), which hubrelay
 * does not run; undefined without such logins and for an invalid pull secret. `object` and `path` name the field that has
 * the secret.
 */
export function unusableLogins(text: string, object: IssueObject, path: string): Issue | undefined {
  const secret = parsePullSecret(text);
  if ("problem" in secret) return undefined;
  const { registries, programs } = leftToPrograms(secret);
  if (programs.length === 0) return undefined;
  const which = registries.length > 0 ? sentence`for ${someOf(registries)}` : "for all registries";
  return fieldWarning(object, path, registries, {
    code: "LoginLeftToProgram",
    message: sentence`Logins ${which} are not in the pull secret but in the credential helpers ${someOf(programs)}, which hubrelay does not run; these registries are contacted without a login`,
    remedy:
      "Write the logins to a file, for example with podman login --authfile FILE REGISTRY, and use that file as pull secret.",
  });
}
