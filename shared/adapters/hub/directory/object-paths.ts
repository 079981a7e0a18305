import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { kindOf } from "../../../domain/kubernetes/object.ts";
import type { ObjectKey } from "../semantics/stored-object.ts";

/** The folder of a hub's directory for hubrelay's own state. */
export const stateDirectory = ".hubrelay";

export const statusDirectory = `${stateDirectory}/status`;

/** File systems allow names of 255 bytes, Kubernetes allows 253 before an extension and a suffix are added. */
const maxNameLength = 200;

function fileName(name: string): string {
  const safe = encodeURIComponent(name).replace(
    /^\.|\*/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  if (safe.length <= maxNameLength) return safe;
  const digest = hash("sha256", name).slice(0, 16);
  return `${safe.slice(0, maxNameLength - digest.length - 1)}-${digest}`;
}

/** `imagedigestmirrorsets.config.openshift.io/acme` or `events.core/default/acme.1a2b`, below some directory. */
function objectPath({ apiVersion, kind, namespace, name }: ObjectKey): string {
  const plural = kindOf({ apiVersion, kind })?.plural ?? kind.toLowerCase();
  const [group, version] = apiVersion.split("/");
  const resource = `${plural}.${version === undefined ? "core" : group}`;
  return [resource, ...(namespace ? [namespace] : []), name].map(fileName).join("/");
}

/** Returns the path for a new object, relative to the hub's directory, unless another file has it. */
export function firstPath(key: ObjectKey): string {
  return `${objectPath(key)}.yaml`;
}

/** Returns the path of the file for a new object: one that no other file has. */
export function freePath(root: string, key: ObjectKey): string {
  for (let suffix = 1; ; suffix++) {
    const candidate = suffix === 1 ? firstPath(key) : `${objectPath(key)}-${suffix}.yaml`;
    if (!existsSync(join(root, candidate))) return candidate;
  }
}

/** Returns the path of an object's status file, relative to the hub's directory. */
export function statusPath(key: ObjectKey): string {
  return `${statusDirectory}/${objectPath(key)}.yaml`;
}
