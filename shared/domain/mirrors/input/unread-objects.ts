import { asWarnings, fieldWarning, type Issue, versionIssues } from "../../issues/issue.ts";
import { isOfAnyVersion, type KubernetesObject, kinds } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { type ImageReading, readRegistrySources, validateScopes } from "./read-image.ts";

/** The kinds of which OpenShift reads one object, with its name. */
const singletons = [
  { kind: kinds.Image, name: "cluster" },
  { kind: kinds.ClusterVersion, name: "version" },
  { kind: kinds.Infrastructure, name: "cluster" },
  { kind: kinds.MachineConfiguration, name: "cluster" },
] as const;

function nameIssue(object: KubernetesObject, name: string): readonly Issue[] {
  if (object.metadata.name === name) return [];
  return [
    fieldWarning(object, "metadata.name", object.metadata.name, {
      code: "NameWithoutEffect",
      message: sentence`OpenShift reads only the ${object.kind} named ${name}: this one has no effect.`,
      remedy: sentence`Name it ${name}.`,
    }),
  ];
}

/** Returns the issues of an Image that is not read, so that all show at once. */
function imageIssues(image: KubernetesObject, reading: ImageReading): readonly Issue[] {
  const { sources, issues } = readRegistrySources(image, reading);
  const lists = ["insecure", "blocked", "allowed"] as const;
  return [
    ...issues,
    ...lists.flatMap((list) => validateScopes(image, list, sources[list] ?? [], reading.refusing).issues),
  ];
}

/**
 * Returns the issues of objects that OpenShift does not read because of their name or version, although it reads an object
 * of their kind. Only the names are warnings.
 */
export function unreadObjects(objects: readonly KubernetesObject[], reading: ImageReading): readonly Issue[] {
  return objects.flatMap((object) => {
    const singleton = singletons.find(({ kind }) => isOfAnyVersion(kind, object));
    if (!singleton) return [];
    const found = [...versionIssues(singleton.kind, object), ...nameIssue(object, singleton.name)];
    if (found.length === 0 || reading.refusing === "operator") return asWarnings(found);
    return singleton.kind === kinds.Image ? [...found, ...imageIssues(object, reading)] : found;
  });
}
