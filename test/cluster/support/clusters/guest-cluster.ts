import { openshiftCrds } from "../manifests/crds.ts";
import { type ClusterOptions, startCluster, type TestCluster } from "./cluster.ts";

/**
 * Starts an API server that stands in for the guest cluster of a HostedCluster: OpenShift's CRDs, no controllers
 * (unless `controllers` is set), no agent. `admin.kubeConfigFile` is what HyperShift would publish as the cluster's
 * kubeconfig. It takes some seconds; `stop` it after the test. `freeze`, `kill` and `restart` make it a dead guest.
 */
export const aGuestCluster = async (options: ClusterOptions = {}): Promise<TestCluster> =>
  startCluster({ ...options, crds: [...(await openshiftCrds()), ...(options.crds ?? [])] });
