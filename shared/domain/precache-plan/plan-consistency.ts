import { splitReference } from "../images/image-reference.ts";
import { fieldWarning, type Issue } from "../issues/issue.ts";
import { fieldsOf, ownValue, someOf } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { isVersion, versionInTag } from "../openshift/releases/release.ts";
import type { PrecachingSpec } from "../precache-model/precaching-spec.ts";
import { sentence } from "../text/redact.ts";
import type { Draft } from "./plan-draft.ts";
import { isClusterVersion, type PlatformImage, readRelease } from "./policies/platform-image.ts";
import { isUsable, objectsIn } from "./policies/policy-objects.ts";
import { isOperatorKind, type PolicySoftware } from "./policies/policy-software.ts";
import type { Config } from "./read-config.ts";
import { isRefused, isUnavailable, versionOf } from "./selection/cluster-facts.ts";

/** The kinds of objects that make clusters pull images, but whose images are not pre-cached. */
const others = [
  { group: "olm.operatorframework.io/", kind: "ClusterExtension", what: "an operator of OLM v1" },
  { group: "olm.operatorframework.io/", kind: "ClusterCatalog", what: "a catalog of OLM v1" },
  {
    group: "lca.openshift.io/",
    kind: "ImageBasedUpgrade",
    what: "an image-based upgrade, which pre-caches by itself in its stage Prep",
  },
] as const;

/** Returns warnings about objects in policies whose images may not be pre-cached. */
export function unplannedIssues(policies: readonly KubernetesObject[]): readonly Issue[] {
  return objectsIn(policies).flatMap(({ policy, object, specPath }): readonly Issue[] => {
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

const nameOf = ({ metadata }: KubernetesObject): string => metadata.name;
const named = (clusters: readonly KubernetesObject[]): string => someOf(clusters.map(nameOf), 10);

const unreached = [
  {
    isMeant: isRefused,
    what: "the hub does not accept them",
    remedy: "Set spec.hubAcceptsClient of the ManagedCluster.",
  },
  {
    isMeant: (cluster: KubernetesObject) => isUnavailable(cluster) && !isRefused(cluster),
    what: "they are not available",
    remedy: "Check the klusterlet of the cluster, and its connection to the hub.",
  },
];

const unreachable = (cgu: KubernetesObject, clusters: readonly KubernetesObject[]): readonly Issue[] =>
  unreached.flatMap(({ isMeant, what, remedy }) => {
    const names = named(clusters.filter(isMeant));
    const message = sentence`These clusters pre-cache nothing while ${what}: ${names}.`;
    return names === ""
      ? []
      : [fieldWarning(cgu, "spec", names, { code: "ClustersNotReached", message, remedy })];
  });

const byNumbers = new Intl.Collator("en", { numeric: true }).compare;
const withoutCandidate = (version: string): string => version.replace(/[-+].*/, "");

const isNewer = (version: string, other: string): boolean =>
  [version, other].every(isVersion) && byNumbers(withoutCandidate(version), withoutCandidate(other)) > 0;

function releaseIssues(
  { input: { cgu, lookup }, options }: Draft,
  policies: readonly KubernetesObject[],
  clusters: readonly KubernetesObject[],
): readonly Issue[] {
  const read = readRelease(policies);
  if (!read.ok || !read.release.isFound) return [];
  const { upstream, channel, image, version: written } = read.release;
  const version = written || (versionInTag(image) ?? "");
  const warning = (
    isSo: boolean,
    field: string,
    value: string,
    problem: Pick<Issue, "code" | "message" | "remedy">,
  ) => {
    if (!isSo) return [];
    const place = objectsIn(policies).find(
      ({ object }) =>
        isClusterVersion(object) &&
        ownValue(fieldsOf(fieldsOf(object.spec).desiredUpdate), field) !== undefined,
    );
    return place
      ? [fieldWarning(place.policy, `${place.specPath}.desiredUpdate.${field}`, value, problem)]
      : [fieldWarning(cgu, "spec.managedPolicies", value, problem)];
  };
  const newer = clusters.filter((cluster) => isNewer(versionOf(cluster) ?? "", version));
  const isAsked = image === "" || options.checksGraph === true;
  const isNamed = [upstream, channel, version].every(isUsable);
  const response = isAsked && isNamed ? lookup({ upstream, channel, version, image }) : undefined;
  const graph = response?.ok ? response : undefined;
  const ofImage = graph?.imageVersion ?? versionInTag(image) ?? version;
  const pathless = clusters.filter((cluster) => {
    const running = versionOf(cluster) || version;
    return graph?.from && running !== version && !graph.from.includes(running) && !newer.includes(cluster);
  });
  const ofVersion = written ? "version" : "image";
  return [
    ...warning(isVersion(version) && ofImage !== version, "image", image, {
      code: "ReleaseImageDiffers",
      message: sentence`This is the image of ${ofImage}, which the cluster-version operator refuses for ${version}.`,
      remedy: "Write the image of that version, or the version of this image.",
    }),
    ...warning(newer.length > 0, ofVersion, version, {
      code: "TargetIsOlder",
      message: sentence`These clusters run a newer version than ${version}, and refuse it unless it is their previous one: ${named(newer)}.`,
      remedy: "Name a newer release, or take the clusters out of the selection.",
    }),
    ...warning(pathless.length > 0, ofVersion, version, {
      code: "NoUpdatePath",
      message: sentence`The update graph has no update to ${version} from the versions of these clusters: ${named(pathless)}.`,
      remedy: "Update them to an intermediate version first, or choose another channel.",
    }),
  ];
}

const contentOf = (image: string): string => splitReference(image).digest ?? image;

function overrideIssues(
  { object, values }: Config,
  spec: PrecachingSpec,
  release: PlatformImage,
  { operatorsIndexes }: PolicySoftware,
): readonly Issue[] {
  const fields = [
    ["platformImage", [values.platformImage], release.ok && release.image ? [release.image] : []],
    ["operatorsIndexes", values.operatorsIndexes, operatorsIndexes],
  ] as const;
  return fields.flatMap(([field, cached, ofPolicies]): readonly Issue[] => {
    const contents = cached.map(contentOf);
    const missing = ofPolicies.filter((image) => !contents.includes(contentOf(image)));
    if (values[field] !== spec[field] || missing.length === 0) return [];
    return [
      fieldWarning(object, `spec.overrides.${field}`, values[field], {
        code: "OverrideDiffers",
        message: sentence`The policies roll out ${someOf(missing)}, which is not pre-cached.`,
        remedy: "Remove the override, or write what the policies have.",
      }),
    ];
  });
}

/** What a plan is made from: the policies, what they request, and the values of the PreCachingConfig. */
export type ReadSources = Readonly<{
  policies: readonly KubernetesObject[];
  release: PlatformImage;
  software: PolicySoftware;
  config: Config;
}>;

/** Returns warnings about a plan that does not fit its sources, the update graph or the state of its clusters. */
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
