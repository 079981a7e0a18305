/**
 * The package's public API: the pure functions that the command and the functions are made of. What is not
 * exported here may change at any time.
 */
// biome-ignore-all lint/performance/noBarrelFile: a package has one entry.

export { hubEvent, parseHubEvent } from "./domain/events/hub-event.ts";
export type { Issue, IssueObject, Severity } from "./domain/issue.ts";
export { readManifests, writeManifest } from "./domain/kubernetes/manifests.ts";
export type { KubernetesObject, ObjectMeta, ObjectReference } from "./domain/kubernetes/object.ts";
export { readMachineConfigFiles, renderMachineConfig } from "./domain/machine-config/machine-config.ts";
export type { NodeFile } from "./domain/machine-config/node-file.ts";
export {
  configureMirrors,
  type MirrorConfiguration,
  type MirrorInput,
  type MirrorOptions,
} from "./domain/mirrors/configuration.ts";
