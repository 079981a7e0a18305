import type { Issue } from "../../issues/issue.ts";
import { fieldsOf, isStringList, textOf } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { hasReached } from "../../openshift/releases/cluster-releases.ts";
import type { OperatorForm } from "../../openshift/releases/machine-config-operator.ts";
import type { Release } from "../../openshift/releases/release.ts";
import { type RegistrySources, readRegistrySources, unreadObjects } from "../input/read-image.ts";
import { readMirrorObjects } from "../input/read-mirror-sets.ts";
import {
  canCutOff,
  findReleaseImage,
  type ReleaseImage,
  type ReleaseSource,
  repositoriesOf,
  unknownComponents,
} from "../input/release-repositories.ts";
import { contentSourcePolicies, isEarlierKind, type MirrorRule, supersededKinds } from "../input/rules.ts";
import { allowedAndBlocked } from "../policies/policy-issues.ts";
import { type ImagePolicies, type PolicyReading, readImagePolicies } from "../policies/read-policies.ts";

const defaultHost = "image-registry.openshift-image-registry.svc:5000";

/** Returns the host of the cluster's own image registry; undefined without the capability ImageRegistry. */
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

type InputObjects = ReleaseSource &
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
  /** The number of rules that could not be read. */
  unreadable: number;
  /** True if there is a mirror object, even one without rules. */
  hasMirrorObjects: boolean;
  image: KubernetesObject | undefined;
  sources: RegistrySources;
  /** The host of the cluster's own image registry; undefined if it has none. */
  internalRegistry: string | undefined;
  release: ReleaseImage;
  /** The repositories in which OpenShift publishes releases of the cluster's version. */
  publishedRepositories: readonly string[];
  /** Locations (`host/path@digest`) that are known to lack an image of the release. */
  absentImages: ReadonlySet<string>;
  policies: ImagePolicies;
  form: OperatorForm;
  issues: readonly Issue[];
}>;

/** The program that writes the files of a pool's nodes. */
export type Writer = "machine-config-operator" | "hubrelay";

/**
 * The first release whose API server refuses allowed and blocked lists together even if one is empty: openshift/api,
 * config/v1/types_image.go.
 */
const oneListSince: Release = { major: 4, minor: 18 };

function listsTogether(
  image: KubernetesObject | undefined,
  { allowed, blocked }: RegistrySources,
  { refusing, releases }: PolicyReading,
): readonly Issue[] {
  if (!image || !allowed || !blocked || (allowed.length > 0 && blocked.length > 0)) return [];
  if (refusing === "operator" || !hasReached(releases, oneListSince)) return [];
  return [allowedAndBlocked(image, allowed)];
}

/**
 * Reads all objects. Invalid parts become issues and are skipped. ImageSourceDigestPolicies and ImageSourceTagPolicies
 * are read only if hubrelay is the writer.
 */
export function readInput(
  input: InputObjects,
  { writer, ...reading }: PolicyReading & Readonly<{ writer: Writer }>,
): ReadInput {
  const { objects, image, clusterVersion, absentImages = new Set(), releaseProblem } = input;
  const { refusing, form } = reading;
  const read = writer === "hubrelay" ? objects : objects.filter((object) => !isEarlierKind(object));
  const mirrors = readMirrorObjects(read, refusing);
  const { sources, issues } = readRegistrySources(image, reading);
  const policies = readImagePolicies(objects, reading);
  const release = findReleaseImage(input);
  return {
    rules: mirrors.rules,
    unreadable: mirrors.unreadable,
    hasMirrorObjects: mirrors.objects.length > 0,
    image,
    sources,
    internalRegistry: internalRegistryOf(image, clusterVersion),
    release,
    publishedRepositories: repositoriesOf(input.releaseVersion),
    absentImages,
    policies,
    form,
    issues: [
      ...supersededKinds(objects, writer),
      ...contentSourcePolicies(objects),
      ...mirrors.issues,
      ...issues,
      ...listsTogether(image, sources, reading),
      ...unreadObjects(objects, refusing),
      ...policies.issues,
      ...(canCutOff(mirrors.rules, sources) ? unknownComponents(release, releaseProblem) : []),
    ],
  };
}
