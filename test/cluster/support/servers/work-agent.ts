import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../../../support/servers/free-port.ts";
import type { Log } from "../programs/cache.ts";
import { goProgram } from "../programs/go-program.ts";
import { type ServerProcess, startServer } from "../programs/server-process.ts";
import { agentAccount } from "./klusterlet.ts";

const ocm = "open-cluster-management.io/ocm";

/** Returns the path of OCM's work agent, built from its Go module when it is not cached. */
export const workAgent = (log: Log): Promise<string> =>
  goProgram({ name: "work-agent", program: `${ocm}/cmd/work`, module: ocm }, log);

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false; // not yet
  } finally {
    socket.destroy();
  }
}

export type WorkAgentOptions = Readonly<{
  /** The managed cluster's name, which is its namespace on the hub. */
  cluster: string;
  /** Folder of its log. */
  folder: string;
  /** Kubeconfig files. */
  hub: string;
  managedCluster: string;
}>;

/**
 * Starts the work agent as OCM's operator deploys it, with two differences: it does not wait for the Lease of a killed
 * agent, and it polls what it feeds back every second instead of every ten.
 */
export async function startWorkAgent(options: WorkAgentOptions): Promise<ServerProcess> {
  const { cluster, folder, hub, managedCluster } = options;
  const program = await workAgent((line) => console.log(line));
  const port = await freePort();
  const args = [
    "agent",
    `--spoke-cluster-name=${cluster}`,
    `--agent-id=${cluster}-agent`,
    "--workload-source-driver=kube",
    `--workload-source-config=${hub}`,
    `--kubeconfig=${managedCluster}`,
    `--namespace=${agentAccount.namespace}`,
    `--listen=127.0.0.1:${port}`,
    "--disable-leader-election",
    "--status-sync-interval=1s",
  ];
  return startServer(program, args, {
    log: join(folder, "work-agent.log"),
    isReady: () => isListening(port),
    temporary: folder,
  });
}
