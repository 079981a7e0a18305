import { tryParseImageReference } from "../../images/image-reference.ts";
import { knownFields, readField } from "../../issues/field.ts";
import { fieldIssue, fieldWarning, type Issue } from "../../issues/issue.ts";
import { unknownFields } from "../../issues/unknown-fields.ts";
import { isRecord, someOf } from "../../kubernetes/json/values.ts";
import { readLabelSelector } from "../../kubernetes/label-selector.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { architectureLabel } from "../../precache-model/planned-upgrade.ts";
import { type UpgradeSpec, upgradeFields } from "../../precache-model/upgrade-spec.ts";
import { sentence } from "../../text/redact.ts";
import type { ManagedPolicies } from "../policies/managed-policies.ts";
import { topologyOf } from "./cluster-facts.ts";

const specFields = knownFields(upgradeFields.definition, "spec");

/** The remedy for the field `spec.preCache`, which TALM's design document has, but which TALM never read. */
const preCacheRemedy =
  "Write spec.preCaching: true, and name the PreCachingConfig in spec.preCachingConfigRef.";

const selectorRemedy = "Give matchLabels and matchExpressions as Kubernetes has them; {} is every cluster.";

/** Returns errors about invalid and unknown parts: a selector without these parts would select more clusters. */
function selectorForms(cgu: KubernetesObject, { clusterLabelSelectors = [] }: UpgradeSpec): readonly Issue[] {
  return clusterLabelSelectors.flatMap((selector, index): readonly Issue[] => {
    if (!isRecord(selector)) return [];
    const path = `spec.clusterLabelSelectors[${index}]`;
    const read = readLabelSelector(selector);
    if ("error" in read) {
      const { field, value, message } = read.error;
      return [
        fieldIssue(cgu, `${path}.${field}`, value, {
          code: "InvalidSelector",
          message,
          remedy: selectorRemedy,
        }),
      ];
    }
    const { matchLabels: _labels, matchExpressions: _expressions, ...unknown } = selector;
    return Object.keys(unknown).map((field) =>
      fieldIssue(cgu, `${path}.${field}`, undefined, {
        code: "UnknownField",
        message: "A selector has no such field. The API server drops it, and more clusters are selected.",
        remedy: selectorRemedy,
      }),
    );
  });
}

/** Returns issues about fields of `spec`: about invalid values, and about values with an unexpected effect. */
export function formIssues(cgu: KubernetesObject, upgrade: UpgradeSpec): readonly Issue[] {
  const { value = {}, issues: ofFields } = readField(cgu, "spec", cgu.spec, upgradeFields);
  const ofTypes = [...ofFields, ...selectorForms(cgu, upgrade)];
  const path = "spec.remediationStrategy.maxConcurrency";
  const missing = fieldWarning(cgu, path, undefined, {
    code: "MaxConcurrencyMissing",
    message: "The field is required. The API server refuses the object without it.",
    remedy: "Set how many clusters may run at the same time.",
  });
  const unlimited = fieldWarning(cgu, path, upgrade.maxConcurrency, {
    code: "MaxConcurrencyIgnored",
    message: "It is not positive, so that all clusters may run at the same time.",
    remedy: "Give a whole number from 1.",
  });
  const timeout = value.remediationStrategy?.timeout;
  const endless = fieldWarning(cgu, "spec.remediationStrategy.timeout", timeout, {
    code: "TimeoutIgnored",
    message: "No Job can end in so many minutes; pre-caching takes the default of 240.",
    remedy: "Give whole minutes from 1, or leave the field out.",
  });
  const withoutValue = (upgrade.clusterSelector ?? []).filter((entry) => !entry.includes("="));
  const emptyValues = withoutValue.map((entry) =>
    fieldWarning(cgu, "spec.clusterSelector", entry, {
      code: "SelectorEmptyValue",
      message: sentence`It selects clusters whose label ${entry} is empty, not all that have the label.`,
      remedy: sentence`Write ${entry}=VALUE, or spec.clusterLabelSelectors with the operator Exists.`,
    }),
  );
  return [
    ...emptyValues,
    ...(upgrade.maxConcurrency !== undefined && upgrade.maxConcurrency <= 0 ? [unlimited] : []),
    ...(timeout !== undefined && timeout <= 0 ? [endless] : []),
    ...ofTypes,
    ...unknownFields(cgu, specFields, { "spec.preCache": preCacheRemedy }),
    ...(upgrade.maxConcurrency === undefined && !ofTypes.some((issue) => path.startsWith(issue.path))
      ? [missing]
      : []),
  ];
}

/** Returns warnings about parts of a selection that the user may not intend. */
export function selectionIssues(
  cgu: KubernetesObject,
  { ignored, gone }: Readonly<{ ignored: readonly string[]; gone: readonly string[] }>,
  names: readonly string[],
): readonly Issue[] {
  return [
    ...ignored.map((entry) =>
      fieldWarning(cgu, "spec.clusterSelector", entry, {
        code: "SelectorIgnored",
        message: "The entry has more than one equals sign; it is ignored.",
        remedy: "Write key=value, or use spec.clusterLabelSelectors.",
      }),
    ),
    ...gone.map((name) =>
      fieldWarning(cgu, "spec.clusters", name, {
        code: "ClusterDetached",
        message: "The cluster was a managed cluster when this was planned, and no longer is; it is left out.",
        remedy: "Remove it from the list, or import it again to pre-cache it.",
      }),
    ),
    ...(names.length === 0
      ? [
          fieldWarning(cgu, "spec", undefined, {
            code: "NoClusterSelected",
            message: "No cluster is selected, so nothing is pre-cached.",
            remedy: "Check the labels of the managed clusters.",
          }),
        ]
      : []),
  ];
}

/** Returns a warning for each managed policy that is skipped because it is enforced. TALM skips it silently. */
export function enforcedIssues(cgu: KubernetesObject, { enforced }: ManagedPolicies): readonly Issue[] {
  return enforced.map((name) =>
    fieldWarning(cgu, "spec.managedPolicies", name, {
      code: "PolicyEnforced",
      message:
        "The policy is enforced, so it is not rolled out by this object and nothing is pre-cached for it.",
      remedy: "Set its remediationAction to inform.",
    }),
  );
}

/** Returns a warning about clusters of which neither the topology nor the number of nodes is known. */
export function topologyIssues(
  cgu: KubernetesObject,
  clusters: readonly KubernetesObject[],
  nodes: ReadonlyMap<string, number>,
): readonly Issue[] {
  const unknown = clusters.filter(
    (cluster) => topologyOf(cluster) === undefined && !nodes.has(cluster.metadata.name),
  );
  if (unknown.length === 0) return [];
  const names = unknown.map(({ metadata }) => metadata.name);
  return [
    fieldWarning(cgu, "spec", unknown.length, {
      code: "ClusterTopologyUnknown",
      message: sentence`The topology of these clusters is unknown, so they may have more than one node, of which one is pre-cached: ${someOf(names, 10)}.`,
      remedy: "Check the claim controlplanetopology.openshift.io of the ManagedCluster.",
    }),
  ];
}

const architectures = new Map([
  ["x86_64", "amd64"],
  ["amd64", "amd64"],
  ["aarch64", "arm64"],
  ["arm64", "arm64"],
  ["ppc64le", "ppc64le"],
  ["s390x", "s390x"],
]);

/** Returns a warning about clusters whose label names another architecture than the tag of the release. */
export function architectureIssues(
  cgu: KubernetesObject,
  clusters: readonly KubernetesObject[],
  platformImage: string,
): readonly Issue[] {
  const tag = tryParseImageReference(platformImage)?.tag ?? "";
  const ofRelease = architectures.get(tag.slice(tag.lastIndexOf("-") + 1));
  if (ofRelease === undefined) return [];
  const others = clusters.filter(
    ({ metadata }) => (metadata.labels?.[architectureLabel] ?? ofRelease) !== ofRelease,
  );
  if (others.length === 0) return [];
  const names = others.map(
    ({ metadata }) => sentence`${metadata.name} (${metadata.labels?.[architectureLabel] ?? ""})`,
  );
  return [
    fieldWarning(cgu, "spec.managedPolicies", platformImage, {
      code: "NodesOfOtherArchitecture",
      message: sentence`The release is for nodes of ${ofRelease}; these clusters have the label ${architectureLabel} of another architecture: ${someOf(names, 10)}.`,
      remedy: "Name the release of their architecture or the one of all, whose tag ends in -multi.",
    }),
  ];
}
