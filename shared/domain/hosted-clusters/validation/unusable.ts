import { sentence } from "../../credentials/redact.ts";
import { goQuote } from "../../go-compat/go-quote.ts";
import { parseGoTime } from "../../go-compat/go-time.ts";
import { isMirror, isSource } from "../../images/location-patterns.ts";
import { formatRemedy } from "../../images/location-remedies.ts";
import { asWarnings, fieldWarning, type Issue, type Problem } from "../../issues/issue.ts";
import { fieldsOf, isSameJson, ownValue } from "../../json/values.ts";
import type { HostedCluster } from "../cluster/hosted-cluster.ts";
import { olmCatalogs } from "../olm-catalogs/olm-catalogs.ts";

/** Warns about accepted values of `spec.imageContentSources` that the hosted cluster's nodes cannot use. */
export function unusableContentSources(cluster: HostedCluster): readonly Issue[] {
  const seen = new Map<string, number>();
  return cluster.imageContentSources.flatMap(({ source, mirrors }, index) => {
    const warnings: Issue[] = [];
    const warn = (field: string, value: unknown, problem: Problem) =>
      warnings.push(
        fieldWarning(cluster.object, `spec.imageContentSources[${index}].${field}`, value, problem),
      );
    const before = seen.get(source);
    if (before === undefined) seen.set(source, index);
    else
      warn("source", source, {
        code: "DuplicateSource",
        message: sentence`source ${goQuote(source)} is in spec.imageContentSources[${before}] already`,
        remedy: "Put all mirrors of a source into one entry, so that their order is clear.",
      });
    if (!isSource(source))
      warn("source", source, {
        code: "InvalidSource",
        message: sentence`the API server accepts source ${goQuote(source)} here, but not in the guest's ImageDigestMirrorSet that is made from it`,
        remedy: formatRemedy("source", source),
      });
    for (const [at, mirror] of mirrors.entries()) {
      if (isMirror(mirror)) continue;
      warn(`mirrors[${at}]`, mirror, {
        code: "InvalidMirror",
        message: sentence`the API server accepts mirror ${goQuote(mirror)} here, but not in the guest's ImageDigestMirrorSet that is made from it`,
        remedy: formatRemedy("mirror", mirror),
      });
    }
    if (mirrors.length === 0)
      warn("mirrors", [], {
        code: "NoMirrors",
        message: sentence`source ${goQuote(source)} has no mirrors, so the entry does nothing`,
        remedy: "List mirrors, or remove the entry.",
      });
    return warnings;
  });
}

const refusedCodes: ReadonlySet<string> = new Set(["InvalidSource", "InvalidMirror"]);

/**
 * Returns an error for each value of `spec.imageContentSources` for which the guest's API server refuses the
 * ImageDigestMirrorSet that is made from all of them.
 */
export function refusedContentSources(cluster: HostedCluster): readonly Issue[] {
  return unusableContentSources(cluster)
    .filter(({ code }) => refusedCodes.has(code))
    .map((issue) => ({ ...issue, severity: "error" }));
}

/** The API server checks only the beginning of a time. */
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
 * The client of HyperShift's operators omits empty lists when it writes the object, which changes an immutable
 * field. Behaviour: `omitempty` in api/hypershift/v1beta1/hostedcluster_types.go.
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

/** The file's author cannot change this: a digest has no version. */
const isAboutVersion = ({ code }: Issue) => code === "UnknownVersion";

/** Warns about accepted values of a HostedCluster that have no effect. */
export function unusableValues(cluster: HostedCluster): readonly Issue[] {
  const catalogs = olmCatalogs(cluster, cluster.version).issues.filter((issue) => !isAboutVersion(issue));
  return [
    ...unusableContentSources(cluster),
    ...pause(cluster),
    ...emptyCapabilities(cluster),
    ...asWarnings(catalogs),
  ];
}
