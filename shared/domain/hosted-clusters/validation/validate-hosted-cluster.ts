import { formatRemedy, isMirror, isSource } from "../../images/location-format.ts";
import { errorsOf, fieldIssue, fieldWarning, type Issue, type Problem } from "../../issues/issue.ts";
import { goQuote } from "../../kubernetes/json/go-quote.ts";
import { parseGoTime } from "../../kubernetes/json/go-time.ts";
import { fieldsOf, isSameJson, ownValue } from "../../kubernetes/json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { sentence } from "../../text/redact.ts";
import { capabilityIssues } from "../capabilities/capability-issues.ts";
import { readCapabilityChoice } from "../capabilities/cluster-version-capabilities.ts";
import { type HostedCluster, readHostedCluster } from "../cluster/hosted-cluster.ts";
import { olmCatalogs } from "../olm-catalogs/olm-catalogs.ts";
import { refusedValues } from "./refusals.ts";

const refused =
  "machine-config-operator and the guest's API server refuse it, so that no node gets a new configuration";

/**
 * Returns the issues of `spec.imageContentSources`. An error is a value that the API server accepts, but that
 * machine-config-operator refuses; a warning is a value without effect.
 */
export function contentSourceIssues(cluster: HostedCluster): readonly Issue[] {
  const seen = new Map<string, number>();
  return cluster.imageContentSources.flatMap(({ source, mirrors }, index) => {
    const issues: Issue[] = [];
    const report = (field: string, value: unknown, problem: Problem) =>
      issues.push(fieldIssue(cluster.object, `spec.imageContentSources[${index}].${field}`, value, problem));
    const before = seen.get(source);
    if (before === undefined) seen.set(source, index);
    else
      report("source", source, {
        code: "DuplicateSource",
        severity: "warning",
        message: sentence`source ${goQuote(source)} is in spec.imageContentSources[${before}] already`,
        remedy: "Put all mirrors of a source into one entry, so that their order is clear.",
      });
    if (!isSource(source))
      report("source", source, {
        code: "InvalidSource",
        message: sentence`invalid format for source ${goQuote(source)}: ${refused}`,
        remedy: formatRemedy("source", source),
      });
    for (const [at, mirror] of mirrors.entries()) {
      if (isMirror(mirror)) continue;
      report(`mirrors[${at}]`, mirror, {
        code: "InvalidMirror",
        message: sentence`invalid format for mirror ${goQuote(mirror)}: ${refused}`,
        remedy: formatRemedy("mirror", mirror),
      });
    }
    if (mirrors.length === 0)
      report("mirrors", [], {
        code: "NoMirrors",
        severity: "warning",
        message: sentence`source ${goQuote(source)} has no mirrors, so the entry does nothing`,
        remedy: "List mirrors, or remove the entry.",
      });
    return issues;
  });
}

/** Returns the errors of `spec.imageContentSources`. A single error makes all entries ineffective. */
export const refusedContentSources = (cluster: HostedCluster): readonly Issue[] =>
  errorsOf(contentSourceIssues(cluster));

/** The beginning of a time, the only part that the API server checks. */
const timeLike = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/;

function pause(cluster: HostedCluster): readonly Issue[] {
  const { pausedUntil } = cluster;
  if (pausedUntil === undefined || !timeLike.test(pausedUntil) || parseGoTime(pausedUntil)) return [];
  return [
    fieldWarning(cluster.object, "spec.pausedUntil", pausedUntil, {
      code: "UnreadablePause",
      message: "the API server accepts this time, but HyperShift cannot read it and pauses nothing",
      remedy: "Write a valid date with its time zone: 2026-12-01T00:00:00Z.",
    }),
  ];
}

/**
 * Warns if the list `enabled` or `disabled` of `spec.capabilities` is empty. HyperShift's operators omit an empty list
 * when they write the object, and the omission counts as a change of an immutable field. Behaviour: `omitempty` in
 * api/hypershift/v1beta1/hostedcluster_types.go.
 */
function emptyCapabilities(cluster: HostedCluster): readonly Issue[] {
  const lists = fieldsOf(cluster.capabilities);
  return ["enabled", "disabled"]
    .filter((name) => isSameJson(ownValue(lists, name), []))
    .map((name) =>
      fieldWarning(cluster.object, `spec.capabilities.${name}`, [], {
        code: "EmptyCapabilities",
        message:
          "HyperShift's operator omits an empty list when it writes the HostedCluster, and the API server refuses that as a change of spec.capabilities: the cluster is never created",
        remedy: "Omit the list. HyperShift's webhook does so where it is installed.",
      }),
    );
}

/** Returns the issues of values that the API server accepts, but that have no effect or are refused later. */
export function unusableValues(cluster: HostedCluster): readonly Issue[] {
  return [
    ...contentSourceIssues(cluster),
    ...pause(cluster),
    ...emptyCapabilities(cluster),
    ...olmCatalogs(cluster).issues,
  ];
}

/**
 * Returns the issues of a HostedCluster's mirrors, catalogs, capabilities and pauses. `stored` is the version that the
 * object replaces; absent for a new object.
 */
export function validateHostedCluster(object: KubernetesObject, stored?: KubernetesObject): readonly Issue[] {
  const { cluster, issues } = readHostedCluster(object);
  const choice = readCapabilityChoice(cluster.capabilities);
  const { controlPlaneVersion: version } = cluster;
  // Capability warnings help only if the version is known and the file enables or disables capabilities.
  const isChecked = version !== undefined && choice.disabled.length + choice.enabled.length > 0;
  const capabilityWarnings = isChecked ? capabilityIssues({ hostedCluster: object, choice, version }) : [];
  return [...issues, ...refusedValues(object, stored), ...unusableValues(cluster), ...capabilityWarnings];
}
