import { annotationIssue, type Issue } from "../issues/issue.ts";
import { firstAnnotated, type KubernetesObject } from "../kubernetes/object.ts";

/** Bandwidths in Mbit/s (10^6 bits): `bySite` of sites by name, `elsewhere` of all other clusters. */
export type Bandwidths = Readonly<{ elsewhere: number | undefined; bySite: ReadonlyMap<string, number> }>;

export const noBandwidths: Bandwidths = { elsewhere: undefined, bySite: new Map() };

const decimalNumber = /^\d{1,7}(?:\.\d{1,6})?$/;

/** Adds a bandwidth, `100` or `SITE=20`, which replaces an earlier one; returns undefined for an invalid text. */
export function withBandwidth(known: Bandwidths, text: string): Bandwidths | undefined {
  const [, site, number = ""] = /^(?:([^=]+)=)?([^=]+)$/.exec(text) ?? [];
  const mbit = Number(number);
  if (!decimalNumber.test(number) || mbit <= 0) return undefined;
  return site === undefined
    ? { ...known, elsewhere: mbit }
    : { ...known, bySite: new Map([...known.bySite, [site, mbit]]) };
}

/**
 * Annotation of a ClusterGroupUpgrade or its PreCachingConfig; the former takes precedence. Bandwidths of clusters or sites
 * in Mbit/s, in the format of `--bandwidth`, separated by commas: `100,oslo=20`.
 */
export const bandwidthAnnotation = "hubrelay.dev/bandwidth";

/** Formats bandwidths as in `bandwidthAnnotation`; empty without any. */
export function bandwidthText({ elsewhere, bySite }: Bandwidths): string {
  const ofSites = [...bySite].map(([site, mbit]) => `${site}=${mbit}`);
  return [...(elsewhere === undefined ? [] : [elsewhere]), ...ofSites].join(",");
}

/** Returns the bandwidths in the first `bandwidthAnnotation` of these objects. Invalid entries are ignored and reported. */
export function bandwidthAnnotations(
  objects: readonly KubernetesObject[],
): Readonly<{ bandwidths: Bandwidths; issues: readonly Issue[] }> {
  const annotated = firstAnnotated(objects, bandwidthAnnotation);
  if (!annotated) return { bandwidths: noBandwidths, issues: [] };
  const issues: Issue[] = [];
  const bandwidths = annotated.value.split(",").reduce((known, value) => {
    const next = withBandwidth(known, value.trim());
    if (!next)
      issues.push(
        annotationIssue(annotated.object, bandwidthAnnotation, {
          code: "InvalidBandwidth",
          value,
          message: "Invalid bandwidth; it is ignored.",
          remedy: "Write Mbit/s like 100, or SITE=20, several separated by commas.",
        }),
      );
    return next ?? known;
  }, noBandwidths);
  return { bandwidths, issues };
}
