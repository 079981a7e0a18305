import { type Issue, issueObject } from "../../issue.ts";
import { goQuote } from "../../mirrors/go-quote.ts";
import { isMirror, isSource } from "../../mirrors/patterns.ts";
import { formatRemedy } from "../../mirrors/remedies.ts";
import type { HostedCluster } from "../hosted-cluster.ts";
import { olmCatalogs } from "../olm-catalogs/olm-catalogs.ts";

type Warning = Pick<Issue, "code" | "path" | "value" | "message" | "remedy">;

function contentSources({ imageContentSources }: HostedCluster): readonly Warning[] {
  const seen = new Map<string, number>();
  return imageContentSources.flatMap(({ source, mirrors }, index) => {
    const path = `spec.imageContentSources[${index}]`;
    const warnings: Warning[] = [];
    const before = seen.get(source);
    if (before === undefined) seen.set(source, index);
    else
      warnings.push({
        code: "DuplicateSource",
        path: `${path}.source`,
        value: source,
        message: `source ${goQuote(source)} is in spec.imageContentSources[${before}] already`,
        remedy: "Put all mirrors of a source into one entry, so that their order is plain.",
      });
    if (!isSource(source))
      warnings.push({
        code: "InvalidSource",
        path: `${path}.source`,
        value: source,
        message: `the API server accepts source ${goQuote(source)} here, but not in the guest's ImageDigestMirrorSet that is made from it`,
        remedy: formatRemedy("source", source),
      });
    for (const [at, mirror] of mirrors.entries()) {
      if (isMirror(mirror)) continue;
      warnings.push({
        code: "InvalidMirror",
        path: `${path}.mirrors[${at}]`,
        value: mirror,
        message: `the API server accepts mirror ${goQuote(mirror)} here, but not in the guest's ImageDigestMirrorSet that is made from it`,
        remedy: formatRemedy("mirror", mirror),
      });
    }
    if (mirrors.length === 0)
      warnings.push({
        code: "NoMirrors",
        path: `${path}.mirrors`,
        value: [],
        message: `source ${goQuote(source)} has no mirrors, so the entry does nothing`,
        remedy: "List mirrors, or remove the entry.",
      });
    return warnings;
  });
}

/** Nothing that the file's author can change: a digest names no version. */
const isAboutVersion = ({ code }: Issue) => code === "UnknownVersion";

/** What the API server accepts in `spec.imageContentSources` and the hosted cluster's nodes cannot use, as warnings. */
export function unusableContentSources(cluster: HostedCluster): readonly Issue[] {
  const object = issueObject(cluster.object);
  return contentSources(cluster).map((warning): Issue => ({ ...warning, severity: "warning", object }));
}

/** What the API server accepts in a HostedCluster and nothing can use; every one of these is a warning. */
export function unusableValues(cluster: HostedCluster): readonly Issue[] {
  const catalogs = olmCatalogs(cluster, cluster.version).issues.filter((issue) => !isAboutVersion(issue));
  return [
    ...unusableContentSources(cluster),
    ...catalogs.map((issue): Issue => ({ ...issue, severity: "warning" })),
  ];
}
