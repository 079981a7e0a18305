import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { TestCluster } from "../clusters/cluster.ts";
import { tokenFor } from "../clusters/service-account.ts";
import { environmentOf } from "./pod-environment.ts";
import { podTemplates } from "./pod-templates.ts";

const elasticmq = "http://elasticmq.hubrelay.svc.cluster.local:9324";

/** What a kubelet would start for a pod of a workload. */
export type PodCommand = Readonly<{
  args: readonly string[];
  /** The pod's environment, with the queues of the test; without HUBRELAY_HUB and HUBRELAY_PORT of a pod. */
  environment: Readonly<Record<string, string>>;
  /** Logs in to the test's API server with a token of the pod's own account. */
  kubeConfigFile: string;
}>;

/** Returns the command of a workload of the overlay elasticmq, as its objects were applied to the cluster. */
export async function podCommand(
  workload: string,
  {
    objects,
    server,
    endpoint,
  }: Readonly<{ objects: readonly KubernetesObject[]; server: TestCluster; endpoint: string }>,
): Promise<PodCommand> {
  const template = podTemplates(objects).find(({ name }) => name === workload);
  if (!template) throw new Error(`${workload} is not in the overlay`);
  const account = template.spec.serviceAccountName ?? "";
  const token = await tokenFor(server.api, { namespace: "hubrelay", name: account });
  const { kubeConfigFile } = await server.userAccess(account, { token });
  const { HUBRELAY_HUB: _hub, HUBRELAY_PORT: _port, ...settings } = environmentOf(template, objects);
  const environment = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value.replaceAll(elasticmq, endpoint)]),
  );
  return { args: template.spec.containers[0]?.args ?? [], environment, kubeConfigFile };
}
