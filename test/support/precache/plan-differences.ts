import { isKind, type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { readUpgradeSpec } from "#shared/domain/precache-model/upgrade-spec.ts";
import { topologyOf } from "#shared/domain/precache-plan/selection/cluster-facts.ts";

/** What a program makes of a hub; conditions as "type | status | reason | message". */
export type Result = Readonly<{
  fails: boolean;
  conditions: readonly string[];
  clusters: readonly string[];
  spec: Readonly<Record<string, string | readonly string[]>>;
}>;
export type Planned = Readonly<{
  hub: readonly KubernetesObject[];
  talm: Result;
  own: Result;
  selected: readonly string[];
  /** The codes of hubrelay's errors. */
  codes: readonly string[];
}>;
/** What differs: how planning ends or, where that is equal, who gets images and the fields of the spec. */
type Aspect = string;
type Difference = Readonly<{ of: Aspect; what: string; reason: string; when: (planned: Planned) => boolean }>;

const lastOf = ({ conditions }: Result) => conditions.at(-1) ?? "";
const reasonOf = (result: Result) => lastOf(result).split(" | ")[2] ?? "";
const listOf = ({ spec }: Result, field: string) => [spec[field] ?? []].flat();

function upgradeOf(hub: readonly KubernetesObject[]) {
  const cgu = hub.find((object) => isKind(kinds.ClusterGroupUpgrade, object));
  if (!cgu) throw new Error("the hub has no ClusterGroupUpgrade");
  return readUpgradeSpec(cgu);
}

/** True if a managed policy exists, and no selected cluster has a copy of it. */
function lacksCopies({ hub, selected }: Planned): boolean {
  const { managedPolicies } = upgradeOf(hub);
  const policies = hub.flatMap((object) => (isKind(kinds.Policy, object) ? object.metadata : []));
  return policies.some(
    (root) =>
      managedPolicies.includes(root.name) &&
      !policies.some(
        ({ name, namespace = "" }) =>
          name === `${root.namespace}.${root.name}` && selected.includes(namespace),
      ),
  );
}

/** True if TALM reports a policy that is not managed. */
function namesUnmanaged({ hub, talm }: Planned): boolean {
  const names: unknown = JSON.parse(/\{.*\}/.exec(lastOf(talm))?.[0] ?? "{}");
  return Object.keys(Object(names)).some((name) => !upgradeOf(hub).managedPolicies.includes(name));
}

const hasCode = ({ codes }: Planned, ...some: readonly string[]) => some.some((code) => codes.includes(code));
const hasUserImages = ({ hub }: Planned) =>
  hub.some(
    (object) => isKind(kinds.PreCachingConfig, object) && Object(object.spec).additionalImages?.length > 0,
  );
const severalNodes = ({ hub }: Planned) =>
  hub.flatMap((object) =>
    isKind(kinds.ManagedCluster, object) && (topologyOf(object) ?? "SingleReplica") !== "SingleReplica"
      ? object.metadata.name
      : [],
  );
/** Returns the clusters that TALM starts, without those of several nodes. */
const singleNodes = (planned: Planned) =>
  planned.talm.clusters.filter((name) => !severalNodes(planned).includes(name));
/** True if hubrelay has TALM's items in their order, without some. */
function hasFewer({ talm, own }: Planned, field: string): boolean {
  const items = listOf(own, field);
  return [...new Set(listOf(talm, field))].filter((item) => items.includes(item)).join() === items.join();
}

/** Every difference between TALM's results and hubrelay's, with its reason. */
export const differences: readonly Difference[] = [
  {
    of: "outcome",
    what: "TALM's controller panics, or returns an error",
    reason: "It writes no condition and retries for ever, so that nobody sees what is wrong.",
    when: ({ talm }) => talm.fails,
  },
  {
    of: "outcome",
    what: "All lists of clusters are empty",
    reason:
      "An empty list selects nothing. TALM drops it with its first write, and then reports that none was given.",
    when: ({ hub, talm }) => {
      const { clusters, clusterSelector, clusterLabelSelectors } = upgradeOf(hub);
      const lists = [clusters, clusterSelector, clusterLabelSelectors].filter((list) => list !== undefined);
      return (
        lists.length > 0 &&
        lists.every(({ length }) => length === 0) &&
        lastOf(talm).endsWith("no cluster specified for remediation")
      );
    },
  },
  {
    of: "outcome",
    what: "A label selector is invalid",
    reason: "The message names the field and what it may have, as for selectors of windows.",
    when: ({ talm, own }) =>
      [talm, own].every((one) => reasonOf(one) === "ClusterNotFound") &&
      /label selector operator|values set|: Invalid value: /.test(lastOf(talm)),
  },
  {
    of: "outcome",
    what: "No selected cluster has a copy of a managed policy",
    reason: "The policy itself says what is needed and who complies; a hub has tens of thousands of copies.",
    when: (planned) => reasonOf(planned.talm) === "NotAllManagedPoliciesExist" && lacksCopies(planned),
  },
  {
    of: "outcome",
    what: "A policy that is not managed has its name twice",
    reason: "The upgrade does not depend on it.",
    when: (planned) => reasonOf(planned.talm) === "AmbiguousManagedPoliciesNames" && namesUnmanaged(planned),
  },
  {
    of: "outcome",
    what: "Fields of ClusterVersions contradict each other, or are templates",
    reason: "TALM does not say which policies and values these are.",
    when: ({ talm, own }) =>
      reasonOf(talm) === "InvalidPlatformImage" && lastOf(own).startsWith(`${lastOf(talm)}: `),
  },
  {
    of: "outcome",
    what: "A ClusterVersion is of another API group, or a later policy leaves a field of it empty",
    reason:
      "Neither requests a release. TALM checks only the kind, and takes an empty field for another value.",
    when: ({ talm, own }) =>
      reasonOf(talm) === "InvalidPlatformImage" &&
      !lastOf(own).startsWith(lastOf(talm)) &&
      /must have upstream, channel, and version|with conflicting/.test(lastOf(talm)),
  },
  {
    of: "outcome",
    what: "An image of a policy, an override or the ConfigMap is no image, or a field is no text",
    reason: "Every cluster would start a Job that fails.",
    when: (planned) =>
      hasCode(planned, "InvalidReference", "InvalidType", "InvalidVersion", "OverrideImageInvalid") &&
      ["InvalidPlatformImage", "PrecacheSpecIncomplete"].includes(reasonOf(planned.own)),
  },
  {
    of: "outcome",
    what: "The release of a policy that every cluster complies with is a template, or contradicts another",
    reason: "No such release can be pre-cached, whatever else is requested.",
    when: (planned) =>
      hasCode(planned, "InvalidPlatformImage") && reasonOf(planned.own) === "PrecacheSpecIncomplete",
  },
  {
    of: "outcome",
    what: "The PreCachingConfig is missing, and no cluster has anything to pull",
    reason: "The reference is wrong whether a cluster complies or not. TALM reports it once one does not.",
    when: (planned) =>
      hasCode(planned, "PreCachingConfigMissing") && reasonOf(planned.talm) === "ValidationCompleted",
  },
  {
    of: "outcome",
    what: "Every cluster complies, and additional images are requested",
    reason: "Additional images are requested regardless of the policies.",
    when: (planned) => hasUserImages(planned) && reasonOf(planned.talm) === "ValidationCompleted",
  },
  {
    of: "outcome",
    what: "Only additional images are requested",
    reason: "Enhancement 004: they are content of their own.",
    when: (planned) => hasUserImages(planned) && lastOf(planned.talm).endsWith("no software spec provided"),
  },
  {
    of: "outcome",
    what: "spaceRequired has a unit of Kubernetes",
    reason: "TALM's design document writes 30Gi; its controller refuses it.",
    when: ({ talm }) => lastOf(talm).endsWith("invalid suffix: 'gi'"),
  },
  {
    of: "outcome",
    what: "spaceRequired is not a number and a unit",
    reason:
      "The condition has the whole value, where TALM has the words of Go's libraries about a part of it.",
    when: (planned) =>
      hasCode(planned, "SpaceRequiredInvalid") && reasonOf(planned.talm) === reasonOf(planned.own),
  },
  {
    of: "outcome",
    what: "The only Subscriptions or CatalogSources are of other API groups, or lack fields",
    reason:
      "They are no operators. TALM checks only the kind, and requests what Go prints for a missing field.",
    when: ({ talm, own }) =>
      [talm, own].some((one) => reasonOf(one) === "InProgress") &&
      [talm, own].some((one) => lastOf(one).endsWith("olm index provided, but no packages")),
  },
  {
    of: "outcome",
    what: "Each cluster that has something to pull has more than one node",
    reason: "Only one of its nodes would have the images.",
    when: (planned) =>
      reasonOf(planned.own) === "ValidationCompleted" &&
      ["InProgress", "PrecacheSpecIncomplete"].includes(reasonOf(planned.talm)) &&
      planned.selected.some((name) => severalNodes(planned).includes(name)),
  },
  {
    of: "clusters",
    what: "A cluster has more than one node",
    reason: "Only one of its nodes would have the images.",
    when: (planned) => planned.own.clusters.join() === singleNodes(planned).join(),
  },
  {
    of: "clusters",
    what: "A cluster complies, and additional images are requested",
    reason: "Additional images are requested regardless of the policies.",
    when: (planned) =>
      hasUserImages(planned) && singleNodes(planned).every((name) => planned.own.clusters.includes(name)),
  },
  {
    of: "platformImage",
    what: "The ConfigMap has blanks around the image",
    reason: "An image has none.",
    when: ({ talm, own }) => String(talm.spec.platformImage).trim() === own.spec.platformImage,
  },
  {
    of: "operatorsIndexes",
    what: "A CatalogSource is of another API group, lacks its image, or has that of another",
    reason: "It is no catalog, or the same. TALM requests what Go prints for a missing field.",
    when: (planned) => hasFewer(planned, "operatorsIndexes"),
  },
  {
    of: "operatorsPackagesAndChannels",
    what: "A Subscription is of another API group, lacks a field, or is there twice",
    reason: "It is no operator, or the same. TALM requests what Go prints for a missing field.",
    when: (planned) => hasFewer(planned, "operatorsPackagesAndChannels"),
  },
  {
    of: "additionalImages",
    what: "An additional image has no registry or no digest",
    reason: "Enhancement 004: each invalid one is an error, and the rest is pre-cached.",
    when: (planned) => hasCode(planned, "AdditionalImageInvalid") && hasFewer(planned, "additionalImages"),
  },
  {
    of: "excludePrecachePatterns",
    what: "A pattern is empty, or ends with a line",
    reason: "It would leave out no image, or all of them.",
    when: (planned) => hasFewer(planned, "excludePrecachePatterns"),
  },
];

/** Returns what differs. */
export function aspectsOf({ talm, own }: Planned): readonly Aspect[] {
  if (talm.fails !== own.fails || talm.conditions.join("\n") !== own.conditions.join("\n"))
    return ["outcome"];
  const fields = [...new Set([...Object.keys(talm.spec), ...Object.keys(own.spec)])];
  return [
    ...(talm.clusters.join() === own.clusters.join() ? [] : ["clusters"]),
    ...fields.filter((field) => JSON.stringify(talm.spec[field]) !== JSON.stringify(own.spec[field])),
  ];
}
