import { ownValue } from "../../json/values.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import type { NamedWindow } from "../../windows/gate.ts";
import { waitingReason, waitsFor } from "../model/precedence.ts";
import type { Records } from "../progress/precaching-report.ts";
import { architectureOf } from "../progress/reported-totals.ts";
import { siteLabelOf } from "../progress/site-label.ts";
import { linksOf } from "../slots/remaining-download.ts";
import { contender, rivalsFor } from "../slots/rivals.ts";
import type { Waits } from "./waiting-line.ts";

/**
 * Returns the groups of clusters for which decisions about a start differ only by their order: the same site, windows,
 * link, remaining download and upgrade to wait for.
 */
export function waitingGroups(
  annotatedObjects: readonly KubernetesObject[],
  records: Records,
  labelsOf: (cluster: string) => Readonly<Record<string, string>> | undefined,
  windowsOf: (cluster: string) => readonly NamedWindow[],
  others: readonly KubernetesObject[],
): (cluster: string) => Waits {
  const linkOf = linksOf(annotatedObjects, labelsOf);
  const siteLabel = siteLabelOf(annotatedObjects) ?? "";
  const [cgu] = annotatedObjects;
  const ids = new Map<readonly NamedWindow[], number>();
  const idOf = (windows: readonly NamedWindow[]): number => {
    const id = ids.get(windows) ?? ids.size;
    ids.set(windows, id);
    return id;
  };
  return (cluster) => {
    const { bytesDone, bytesTotal } = records.get(cluster) ?? {};
    const labels = labelsOf(cluster);
    const windows = windowsOf(cluster);
    const link = linkOf(cluster);
    const rival = cgu && waitsFor(contender(cgu, undefined), rivalsFor(cluster, others));
    // Downloads are only timed against the end of an opening.
    const download = windows.length > 0 && link ? [architectureOf(labels), bytesDone, bytesTotal] : [];
    const key = [idOf(windows), ownValue(labels, siteLabel), link, download, rival && waitingReason(rival)];
    return { group: JSON.stringify(key), dependsOn: [windows, ...(link?.site ? [link.site] : [])] };
  };
}
