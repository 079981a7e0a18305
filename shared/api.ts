/**
 * The public API of the package: the pure functions behind the command and the deployed functions. Anything that is not
 * exported here may change at any time.
 */
// biome-ignore-all lint/performance/noBarrelFile: a package has one entry.

export { type ChangeCost, type ChangeInput, costOfChange } from "./domain/diff/node-cost/cost-of-change.ts";
export {
  type HostedClusterReport,
  type HostedOptions,
  type HostedReports,
  reportHostedClusters,
} from "./domain/hosted-clusters/hosted-cluster-report.ts";
export {
  explainHostedImage,
  type HostedImageExplanation,
} from "./domain/hosted-clusters/overrides/explain.ts";
export type { Issue, IssueObject, Severity } from "./domain/issues/issue.ts";
export type { KubernetesObject, ObjectMeta, ObjectReference } from "./domain/kubernetes/object.ts";
export { readManifests, writeManifest } from "./domain/manifests/manifests.ts";
export {
  configureMirrors,
  type MirrorConfiguration,
  type MirrorInput,
  type MirrorOptions,
} from "./domain/mirrors/configuration.ts";
export { explainImage, type ImageExplanation } from "./domain/mirrors/explain/explain-image.ts";
export { explainSources, type SourceExplanation } from "./domain/mirrors/explain/explain-source.ts";
export {
  readMachineConfigFiles,
  renderMachineConfig,
} from "./domain/openshift/machine-config/machine-config.ts";
export type { NodeFile } from "./domain/openshift/machine-config/node-file.ts";
export { type Cost, exceeds } from "./domain/plan/cost.ts";
export { openEnvelopes } from "./domain/plan/envelope.ts";
export { hubEvent, parseHubEvent } from "./domain/plan/hub-event.ts";
