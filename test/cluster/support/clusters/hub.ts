import { hubCrds } from "../manifests/crds.ts";
import { type ClusterOptions, startCluster, type TestCluster } from "./cluster.ts";

/** A cluster with the CRDs of a hub: OpenShift's, HyperShift's (with their CEL rules) and OCM's. */
export type TestHub = TestCluster;

/** Starts a hub of its own for the tests of a file, which takes some seconds. */
export const startHub = async (options: Omit<ClusterOptions, "crds"> = {}): Promise<TestHub> =>
  startCluster({ ...options, crds: await hubCrds() });
