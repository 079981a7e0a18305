import { fieldWarning, type Issue } from "../issues/issue.ts";
import { fieldsOf, ownValue, someOf, type UnknownRecord } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isVersion, versionInTag } from "../openshift/releases/release.ts";
import type { PrecachingSpec } from "../precache-model/precaching-spec.ts";
import { sentence } from "../text/redact.ts";
import type { Draft } from "./plan-draft.ts";
import { isClusterVersion, type PlatformImage, readRelease } from "./policies/platform-image.ts";
import { isUsable, policyObjects } from "./policies/policy-objects.ts";
import { isOperatorKind, type PolicySoftware } from "./policies/policy-software.ts";
import type { Config } from "./read-config.ts";
import { isRefused, isUnavailable, versionOf } from "./selection/cluster-facts.ts";

type Found = Readonly<{ policy: KubernetesObject; object: UnknownRecord; specPath: string }>;

function objectsOf(policies: readonly KubernetesObject[]): readonly Found[] {
  return policies.flatMap((policy) => {
    const read = policyObjects(policy.spec);
    return read.ok ? read.objects.map((one) => ({ policy, ...one })) : [];
  });
}

/** Kinds in policies whose images pre-caching does not read. */
const others = [
  { group: "olm.operatorframework.io/", kind: "ClusterExtension", what: "an operator of OLM v1" },
  { group: "olm.operatorframework.io/", kind: "ClusterCatalog", what: "a catalog of OLM v1" },
  {
    group: "lca.openshift.io/",
    kind: "ImageBasedUpgrade",
    what: "an image-based upgrade, which pre-caches by itself in its stage Prep",
  },
] as const;

/**
 * Returns warnings about objects of policies whose images are not pre-cached, or whose pre-cached version may differ
 * from the version that the cluster installs.
 */
export function unplannedIssues(policies: readonly KubernetesObject[]): readonly Issue[] {
  return objectsOf(policies).flatMap(({ policy, object, specPath }): readonly Issue[] => {
    const other = others.find(
      ({ group, kind }) => object.kind === kind && String(object.apiVersion).startsWith(group),
    );
    if (other)
      return [
        fieldWarning(policy, specPath, other.kind, {
          code: "NotPrecached",
          message: sentence`This is ${other.what}: its images are not pre-cached with this upgrade.`,
          remedy: "Name its images in additionalImages of a PreCachingConfig, if they are to be pre-cached.",
        }),
      ];
    const { startingCSV } = fieldsOf(object.spec);
    if (!isOperatorKind(object, "Subscription") || !isUsable(startingCSV)) return [];
    return [
      fieldWarning(policy, `${specPath}.startingCSV`, startingCSV, {
        code: "PinnedOperatorVersion",
        message: sentence`The cluster installs ${startingCSV}. It is pre-cached besides the head of the channel, if the catalog has it.`,
        remedy: "If the catalog does not have it, name its images in additionalImages of a PreCachingConfig.",
      }),
    ];
  });
}

const named = (clusters: readonly KubernetesObject[]): string =>
  someOf(
    clusters.map(({ metadata }) => metadata.name),
    10,
  );

function unreachable(cgu: KubernetesObject, clusters: readonly KubernetesObject[]): readonly Issue[] {
  const warning = (some: readonly KubernetesObject[], what: string, remedy: string): readonly Issue[] =>
    some.length === 0
      ? []
      : [
          fieldWarning(cgu, "spec", some.length, {
            code: "ClustersNotReached",
            message: sentence`These clusters pre-cache nothing while ${what}: ${named(some)}.`,
            remedy,
          }),
        ];
  return [
    ...warning(
      clusters.filter(isRefused),
      "the hub does not accept them",
      "Set spec.hubAcceptsClient of the ManagedCluster.",
    ),
    ...warning(
      clusters.filter((one) => isUnavailable(one) && !isRefused(one)),
      "they are not available",
      "Check the klusterlet of the cluster, and its connection to the hub.",
    ),
  ];
}

const numbersOf = (version: string): readonly number[] => version.split(/[.-]/, 3).map(Number);

/** Reports whether one version is newer than another. A release candidate counts as equal to its release. */
function isNewer(version: string, other: string): boolean {
  if (!isVersion(version) || !isVersion(other)) return false;
  const others = numbersOf(other);
  const difference = numbersOf(version)
    .map((one, index) => one - (others[index] ?? 0))
    .find((one) => one !== 0);
  return difference !== undefined && difference > 0;
}

function releaseIssues(
  { input: { cgu, lookup }, options }: Draft,
  policies: readonly KubernetesObject[],
  clusters: readonly KubernetesObject[],
): readonly Issue[] {
  const read = readRelease(policies);
  if (!read.ok || !read.release.isFound) return [];
  const { upstream, channel, image, version: written } = read.release;
  const version = written || (versionInTag(image) ?? "");
  const placeOf = (field: string) =>
    objectsOf(policies).find(
      ({ object }) =>
        isClusterVersion(object) &&
        ownValue(fieldsOf(fieldsOf(object.spec).desiredUpdate), field) !== undefined,
    );
  const warning = (field: string, value: string, problem: Pick<Issue, "code" | "message" | "remedy">) => {
    const place = placeOf(field);
    return place
      ? [fieldWarning(place.policy, `${place.specPath}.desiredUpdate.${field}`, value, problem)]
      : [fieldWarning(cgu, "spec.managedPolicies", value, problem)];
  };
  const newer = clusters.filter((cluster) => isNewer(versionOf(cluster) ?? "", version));
  const isQueried = image === "" || options.checksGraph === true;
  const isNamed = [upstream, channel, version].every(isUsable);
  const response = isQueried && isNamed ? lookup({ upstream, channel, version }) : undefined;
  const graph = response?.ok ? response : undefined;
  const unreached = clusters.filter((cluster) => {
    const running = versionOf(cluster);
    return (
      graph?.from &&
      running &&
      running !== version &&
      !graph.from.includes(running) &&
      !newer.includes(cluster)
    );
  });
  return [
    ...(image !== "" && graph?.image !== undefined && graph.image !== image
      ? warning("image", image, {
          code: "ReleaseImageDiffers",
          message: sentence`The update graph has another image for version ${version}, and the cluster-version operator refuses one whose version is another: ${graph.image}.`,
          remedy: "Write the image of that version, or the version of this image.",
        })
      : []),
    ...(newer.length > 0
      ? warning(written ? "version" : "image", version, {
          code: "TargetIsOlder",
          message: sentence`These clusters run a newer version than ${version}, and refuse it unless it is their previous one: ${named(newer)}.`,
          remedy: "Name a newer release, or take the clusters out of the selection.",
        })
      : []),
    ...(unreached.length > 0
      ? warning(written ? "version" : "image", version, {
          code: "NoUpdatePath",
          message: sentence`The update graph has no update to ${version} from the versions of these clusters: ${named(unreached)}.`,
          remedy: "Update them to a version between first, or choose another channel.",
        })
      : []),
  ];
}

function overrideIssues(
  { object, values }: Config,
  spec: PrecachingSpec,
  release: PlatformImage,
  { operatorsIndexes }: PolicySoftware,
): readonly Issue[] {
  const differs = (field: string, value: unknown, ofPolicies: string): Issue =>
    fieldWarning(object, `spec.overrides.${field}`, value, {
      code: "OverrideDiffers",
      message: sentence`The policies roll out ${ofPolicies}, which is not pre-cached.`,
      remedy: "Remove the override, or write what the policies have.",
    });
  const image = release.ok ? release.image : "";
  const notCached = operatorsIndexes.filter((index) => !values.operatorsIndexes.includes(index));
  return [
    ...(image !== "" && values.platformImage === spec.platformImage && values.platformImage !== image
      ? [differs("platformImage", values.platformImage, image)]
      : []),
    ...(values.operatorsIndexes === spec.operatorsIndexes && notCached.length > 0
      ? [differs("operatorsIndexes", values.operatorsIndexes, someOf(notCached))]
      : []),
  ];
}

/** The policies, and what was read from them and the PreCachingConfig, for a plan. */
export type ReadSources = Readonly<{
  policies: readonly KubernetesObject[];
  release: PlatformImage;
  software: PolicySoftware;
  config: Config;
}>;

/** Returns an issue for each contradiction between a finished plan and its sources. `clusters` are those that pre-cache. */
export function consistencyIssues(
  draft: Draft,
  clusters: readonly KubernetesObject[],
  spec: PrecachingSpec,
  { policies, release, software, config }: ReadSources,
): readonly Issue[] {
  return [
    ...releaseIssues(draft, policies, clusters),
    ...overrideIssues(config, spec, release, software),
    ...unreachable(draft.input.cgu, clusters),
  ];
}
