import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import type { TestCluster } from "../clusters/cluster.ts";

/** Returns the revision of a whole cluster: every write, of whatever kind, makes the next one. */
export async function revisionOf({ api }: TestCluster): Promise<number> {
  const list = await api.send({ what: "read the revision", method: "GET", path: "/api/v1/namespaces" });
  return Number(fieldsOf(fieldsOf(list).metadata).resourceVersion);
}
