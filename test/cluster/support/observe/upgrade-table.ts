import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";

type Table = Readonly<{
  columnDefinitions: readonly Readonly<{ name: string }>[];
  rows: readonly Readonly<{ cells: readonly unknown[] }>[];
}>;

/** Returns what `oc get cgu` shows: the names of the columns, and the cells of each row. */
export async function upgradeTable(
  api: Pick<Connection, "send">,
  namespace: string,
): Promise<Readonly<{ columns: readonly string[]; rows: readonly (readonly unknown[])[] }>> {
  const table = await api.send({
    what: "get cgu",
    method: "GET",
    path: `/apis/ran.openshift.io/v1alpha1/namespaces/${namespace}/clustergroupupgrades`,
    accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
  });
  const { columnDefinitions, rows }: Table = Object(table);
  return { columns: columnDefinitions.map(({ name }) => name), rows: rows.map(({ cells }) => cells) };
}
