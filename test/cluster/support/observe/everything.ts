import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { TestCluster } from "../clusters/cluster.ts";

const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);

/** What a cluster writes about itself at any time, independent of the cause. */
const records: ReadonlySet<string> = new Set(["events", "leases"]);

/** `/api/v1`, and `/apis/GROUP/VERSION` of every group in the version that the server prefers. */
async function groupPaths({ api }: TestCluster): Promise<readonly string[]> {
  const response = await api.send({ what: "discover the groups", method: "GET", path: "/apis" });
  const groups = listOf(isRecord(response) ? response.groups : undefined);
  const preferred = groups.flatMap(({ preferredVersion }) =>
    isRecord(preferredVersion) ? [`/apis/${String(preferredVersion.groupVersion)}`] : [],
  );
  return ["/api/v1", ...preferred];
}

/**
 * Lists every object of every kind that the cluster serves, as `RESOURCE.GROUP/VERSION NAMESPACE/NAME`, except Events
 * and Leases.
 */
export async function everythingOn(cluster: TestCluster): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const path of await groupPaths(cluster)) {
    const response = await cluster.api.send({ what: `discover ${path}`, method: "GET", path });
    const resources = listOf(isRecord(response) ? response.resources : undefined).filter(
      ({ name, verbs }) =>
        Array.isArray(verbs) &&
        verbs.includes("list") &&
        !String(name).includes("/") &&
        !records.has(String(name)),
    );
    for (const { name } of resources) {
      const list = await cluster.api.send({ what: `list ${name}`, method: "GET", path: `${path}/${name}` });
      for (const { metadata } of listOf(isRecord(list) ? list.items : undefined))
        if (isRecord(metadata))
          found.add(`${path.replace(/^\/apis?\//, "")} ${name} ${metadata.namespace ?? ""}/${metadata.name}`);
    }
  }
  return found;
}
