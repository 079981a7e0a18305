import { sentence } from "../credentials/redact.ts";
import { isKind, type Kind } from "../kubernetes/kinds.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { fieldIssue, type Issue } from "./issue.ts";

/** Reports whether an object is of this kind, in any version of its API. */
export function isOfAnyVersion({ apiVersion, kind }: Kind, object: KubernetesObject): boolean {
  return object.kind === kind && object.apiVersion.startsWith(apiVersion.replace(/\/.*/, "/"));
}

/** Reports whether an object is of this kind, but in a version of its API that is not served. */
export function isOfOtherVersion(kind: Kind, object: KubernetesObject): boolean {
  return isOfAnyVersion(kind, object) && !isKind(kind, object);
}

/** Returns an error for an object of this kind in an unserved version: it would be silently ignored. */
export function versionIssues(kind: Kind, object: KubernetesObject): readonly Issue[] {
  if (!isOfOtherVersion(kind, object)) return [];
  return [
    fieldIssue(object, "apiVersion", object.apiVersion, {
      code: "WrongApiVersion",
      message: sentence`${object.kind} is not served as ${object.apiVersion}`,
      remedy: sentence`Write apiVersion: ${kind.apiVersion}.`,
    }),
  ];
}
