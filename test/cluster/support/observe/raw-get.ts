import { Agent, request } from "undici";
import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import type { TestCluster } from "../clusters/cluster.ts";

/** Sends a GET on a connection of its own, for plain-text responses. */
export async function rawGet(
  url: string,
  { ca, token }: Readonly<{ ca: Buffer; token: string }>,
): Promise<Readonly<{ status: number; text: string }>> {
  const dispatcher = new Agent({ connect: { ca } });
  try {
    const { statusCode, body } = await request(url, {
      dispatcher,
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: statusCode, text: await body.text() };
  } finally {
    await dispatcher.close();
  }
}

/** One line of a Prometheus exposition. */
export type Sample = Readonly<{ name: string; labels: Readonly<Record<string, string>>; value: number }>;

/** Parses the text that a `/metrics` endpoint returns; comments and lines of another form are left out. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split("\n").flatMap((line): Sample[] => {
    const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!name) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    return [
      { name, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value: Number(value) },
    ];
  });
}

/** Returns the revision of a whole cluster: every write, of whatever kind, makes the next one. */
export async function revisionOf({ api }: TestCluster): Promise<number> {
  const list = await api.send({ what: "read the revision", method: "GET", path: "/api/v1/namespaces" });
  return Number(fieldsOf(fieldsOf(list).metadata).resourceVersion);
}

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
