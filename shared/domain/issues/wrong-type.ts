import { typeName } from "../json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { type Issue, issueObject } from "./issue.ts";

/** A field that cannot be read: `wanted` is how its type is called, for instance `a list of strings`. */
export function wrongType(object: KubernetesObject, path: string, value: unknown, wanted: string): Issue {
  return {
    code: "InvalidType",
    severity: "error",
    object: issueObject(object),
    path,
    value,
    message: `${path} must be ${wanted}, but is ${typeName(value)}`,
    remedy: `Write ${path} as ${wanted}.`,
  };
}
