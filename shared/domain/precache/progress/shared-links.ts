import type { RemainingDownload } from "./remaining-download.ts";

/** What is being pulled through the links that the clusters of a site share. */
export type SharedLinks = Readonly<{
  /** The cluster pulls, from now on. */
  use(cluster: string): void;
  /** What others pull through its link; nothing where the link is its own. */
  besides(cluster: string): readonly RemainingDownload[];
}>;

/** Links that nobody uses yet. A cluster whose rest is not known counts for nothing on one. */
export function sharedLinks(
  remainingDownloadOf: (cluster: string) => RemainingDownload | undefined,
): SharedLinks {
  const bySite = new Map<string, Map<string, RemainingDownload>>();
  return {
    use(cluster) {
      const rest = remainingDownloadOf(cluster);
      if (rest?.site === undefined) return;
      const link = bySite.get(rest.site) ?? new Map<string, RemainingDownload>();
      link.set(cluster, rest);
      bySite.set(rest.site, link);
    },
    besides(cluster) {
      const site = remainingDownloadOf(cluster)?.site;
      const link = site === undefined ? undefined : bySite.get(site);
      return [...(link ?? [])].flatMap(([other, rest]) => (other === cluster ? [] : [rest]));
    },
  };
}
