import { repositoriesOf } from "../../images/published-releases.ts";
import type { Issue } from "../../issues/issue.ts";
import { fieldsOf, isStringList, textOf } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { OperatorForm } from "../../releases/machine-config-operator.ts";
import { contentSourcePolicies } from "../input/content-source-policies.ts";
import { isEarlierKind, supersededKinds } from "../input/earlier-kinds.ts";
import { type RegistrySources, readRegistrySources } from "../input/read-image.ts";
import { readMirrorObjects } from "../input/read-mirror-sets.ts";
import {
  canCutOff,
  findReleaseImage,
  type ReleaseImage,
  type ReleaseSource,
  unknownComponents,
} from "../input/release-image.ts";
import type { MirrorRule } from "../input/rules.ts";
import { unreadObjects } from "../input/unread-objects.ts";
import { type ImagePolicies, type PolicyReading, readImagePolicies } from "../policies/read-policies.ts";

const defaultHost = "image-registry.openshift-image-registry.svc:5000";

/**
 * Returns the host of the cluster's own image registry: that in the status of Image `cluster`, else OpenShift's.
 * Undefined where the cluster has no such registry, because the capability is disabled.
 */
function internalRegistryOf(
  image: KubernetesObject | undefined,
  clusterVersion: KubernetesObject | undefined,
): string | undefined {
  const status = clusterVersion?.status;
  const capabilities = fieldsOf(fieldsOf(status).capabilities);
  const { enabledCapabilities: enabled } = capabilities;
  if (isStringList(enabled) && !enabled.includes("ImageRegistry")) return undefined;
  const host = textOf(fieldsOf(image?.status).internalRegistryHostname);
  return host ?? defaultHost;
}

/** The objects and values that the files of a node are rendered from. */
export type InputObjects = ReleaseSource &
  Readonly<{
    objects: readonly KubernetesObject[];
    image?: KubernetesObject;
    absentImages?: ReadonlySet<string>;
    releaseProblem?: string;
    releaseVersion?: string;
  }>;

/** The content of the objects, parsed but not validated. */
export type ReadInput = Readonly<{
  rules: readonly MirrorRule[];
  /** The number of rules that could not be parsed. */
  unreadable: number;
  /** What can be read of those rules. */
  leftOut: readonly MirrorRule[];
  /** A mirror object exists, possibly without a rule. */
  hasMirrorObjects: boolean;
  image: KubernetesObject | undefined;
  sources: RegistrySources;
  /** Such a list closes something unknown. */
  hasUnreadableLists: boolean;
  /** Undefined where the cluster has none. */
  internalRegistry: string | undefined;
  release: ReleaseImage;
  /** Where OpenShift's own releases of the cluster's version are. */
  publishedRepositories: readonly string[];
  /** References that their registries do not have. */
  absentImages: ReadonlySet<string>;
  policies: ImagePolicies;
  /** How files are written. */
  form: OperatorForm;
  issues: readonly Issue[];
}>;

/** Reads all objects; invalid parts become issues and are skipped. */
export function readInput(input: InputObjects, reading: PolicyReading): ReadInput {
  const { objects, image, clusterVersion, absentImages = new Set(), releaseProblem } = input;
  const { compat, form } = reading;
  // machine-config-operator does not read earlier kinds; a warning is reported in both modes.
  const read = compat === "mco" ? objects.filter((object) => !isEarlierKind(object)) : objects;
  const mirrors = readMirrorObjects(read, compat);
  const { sources, hasUnreadable: hasUnreadableLists, issues } = readRegistrySources(image);
  const policies = readImagePolicies(objects, reading);
  const release = findReleaseImage(input);
  return {
    rules: mirrors.rules,
    unreadable: mirrors.unreadable,
    leftOut: mirrors.leftOut,
    hasMirrorObjects: mirrors.objects.length > 0,
    image,
    sources,
    hasUnreadableLists,
    internalRegistry: internalRegistryOf(image, clusterVersion),
    release,
    publishedRepositories: repositoriesOf(input.releaseVersion),
    absentImages,
    policies,
    form,
    issues: [
      ...supersededKinds(objects),
      ...(compat === "mco" ? [] : contentSourcePolicies(mirrors.rules)),
      ...mirrors.issues,
      ...issues,
      ...unreadObjects(objects, compat),
      ...policies.issues,
      ...(canCutOff(mirrors.rules, sources, policies) ? unknownComponents(release, releaseProblem) : []),
    ],
  };
}
