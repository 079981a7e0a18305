import { sentence } from "../credentials/redact.ts";
import { isKind, type Kind, type KubernetesObject } from "../kubernetes/object.ts";
import { fieldIssue, type Issue } from "./issue.ts";

/** Reports whether an object is of this kind, in any version of its API. */
export function isOfAnyVersion({ apiVersion, kind }: Kind, object: KubernetesObject): boolean {
  return object.kind === kind && object.apiVersion.startsWith(apiVersion.replace(/\/.*/, "/"));
}

/** Returns whether an object is of one of these kinds, in any version of their APIs. */
export const isOneOf =
  (kinds: readonly Kind[]) =>
  (object: KubernetesObject): boolean =>
    kinds.some((kind) => isOfAnyVersion(kind, object));

/** Returns an error for an object of this kind in an unserved version: it would be silently ignored. */
export function versionIssues(kind: Kind, object: KubernetesObject): readonly Issue[] {
  if (!isOfAnyVersion(kind, object) || isKind(kind, object)) return [];
  return [
    fieldIssue(object, "apiVersion", object.apiVersion, {
      code: "WrongApiVersion",
      message: sentence`${object.kind} is not served as ${object.apiVersion}`,
      remedy: sentence`Write apiVersion: ${kind.apiVersion}.`,
    }),
  ];
}
