import { hostOf } from "../images/scope.ts";
import { fieldsOf, listOf } from "../kubernetes/json/values.ts";
import { isOfAnyVersion, type KubernetesObject, kinds } from "../kubernetes/object.ts";

/** Reports whether a pattern of `matchImages` matches: `*` is any one part of the host, and a path is a prefix. */
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
 * Returns a function that reports whether nodes may pull an image, also from its mirrors, with a login of the pod's
 * namespace. Source: openshift/api, config/v1alpha1/types_crio_credential_provider_config.go, 2026-08.
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
