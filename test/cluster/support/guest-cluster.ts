import { type ClusterOptions, startCluster, type TestCluster } from "./cluster.ts";
import { openshiftCrds } from "./crds.ts";

/**
 * Starts an API server that plays the guest cluster of a HostedCluster: OpenShift's CRDs, no controllers (but see
 * `controllers`), no agent. `admin.kubeConfigFile` is what HyperShift would publish as the cluster's kubeconfig.
 * Some seconds; `stop` it when the test is over. `freeze`, `kill` and `restart` make it a dead guest.
 */
export const aGuestCluster = async (options: ClusterOptions = {}): Promise<TestCluster> =>
  startCluster({ ...options, crds: [...(await openshiftCrds()), ...(options.crds ?? [])] });
