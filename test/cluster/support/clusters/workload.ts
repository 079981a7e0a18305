import { readFile } from "node:fs/promises";
import { Agent, request } from "undici";
import type { progressKeys } from "#shared/domain/precache-start/work/workload-contract.ts";
import type { TestCluster } from "./cluster.ts";
import { tokenFor } from "./service-account.ts";

const account = { namespace: "openshift-talo-pre-cache", name: "pre-cache-agent" };

/** Access to a managed cluster's API with the permissions of the workload that pulls the images. */
export type Workload = AsyncDisposable &
  Readonly<{
    /** Reports its progress, with the request of `infra/precache-workload/progress.sh`. Returns the HTTP status. */
    report(configMap: string, data: Partial<Record<(typeof progressKeys)[number], string>>): Promise<number>;
    /** Returns the HTTP status of a read. */
    get(path: string): Promise<number>;
  }>;

/** Returns the workload of the current run on this cluster: its account is removed with the run. */
export async function workloadOn({ server, api, certificates }: TestCluster): Promise<Workload> {
  const token = await tokenFor(api, account);
  const dispatcher = new Agent({ connect: { ca: await readFile(certificates.authority) } });
  const headers = { authorization: `Bearer ${token}` };
  const statusOf = async (response: ReturnType<typeof request>): Promise<number> => {
    const { statusCode, body } = await response;
    await body.dump();
    return statusCode;
  };
  return {
    report: (configMap, data) =>
      statusOf(
        request(`${server}/api/v1/namespaces/${account.namespace}/configmaps/${configMap}`, {
          dispatcher,
          method: "PATCH",
          headers: { ...headers, "content-type": "application/merge-patch+json" },
          body: JSON.stringify({ data }),
        }),
      ),
    get: (path) => statusOf(request(`${server}${path}`, { dispatcher, headers })),
    [Symbol.asyncDispose]: () => dispatcher.close(),
  };
}
