import { join } from "node:path";
import type { Connection } from "#shared/adapters/hub/kubernetes/connection.ts";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { kubeControllerManager } from "../programs/kubernetes-programs.ts";
import { type ServerProcess, startServer } from "../programs/server-process.ts";

/** The controllers that the tests need; the others would only cost time. */
const controllers = [
  "clusterrole-aggregation-controller",
  "garbage-collector-controller",
  "job-controller",
  "namespace-controller",
  "ttl-after-finished-controller",
];

/** Starts kube-controller-manager and waits until the aggregated ClusterRole `admin` has rules. */
export async function startControllerManager(
  api: Connection,
  folder: string,
  kubeConfigFile: string,
): Promise<ServerProcess> {
  const program = await kubeControllerManager((line) => console.log(line));
  const args = [
    `--kubeconfig=${kubeConfigFile}`,
    `--controllers=${controllers.join(",")}`,
    "--leader-elect=false",
    "--secure-port=0",
    "--v=1",
  ];
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/admin";
  const isReady = async () => {
    const role = await api.send({ what: "get ClusterRole/admin", method: "GET", path });
    return isRecord(role) && Array.isArray(role.rules) && role.rules.length > 0;
  };
  return startServer(program, args, { log: join(folder, "kube-controller-manager.log"), isReady });
}
