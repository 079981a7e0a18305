import { hubCrds } from "./support/manifests/crds.ts";
import { kustomize } from "./support/manifests/kustomize.ts";
import {
  helm,
  kubeApiserver,
  kubeControllerManager,
  kubectl,
  missingForCluster,
} from "./support/programs/programs.ts";
import { workAgent } from "./support/servers/work-agent.ts";

/** Runs once before all tests with real API servers: reports what the machine lacks and builds what takes minutes. */
export async function setup(): Promise<void> {
  const missing = missingForCluster();
  if (missing) throw new Error(`The tests with a real API server cannot run here. ${missing}`);
  const log = (line: string) => console.log(`test:cluster: ${line}`);
  for (const program of [kubeApiserver, kubeControllerManager, kubectl, workAgent, kustomize, helm])
    await program(log);
  log("reading the CRDs of the projects' Go modules");
  const crds = await hubCrds();
  log(`everything is there: etcd, Kubernetes, OCM's work agent, kustomize, Helm and ${crds.length} CRDs`);
}
