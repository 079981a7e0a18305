import type { Log } from "./cache.ts";
import { goProgram } from "./go-program.ts";

const kubernetes = "k8s.io/kubernetes";
const linkerFlags = (version: string) => `-X k8s.io/component-base/version.gitVersion=${version}`;

/** Returns the path of kube-apiserver, built from its Go module when it is not cached. */
export const kubeApiserver = (log: Log): Promise<string> =>
  goProgram(
    {
      name: "kube-apiserver",
      program: `${kubernetes}/cmd/kube-apiserver`,
      module: kubernetes,
      linkerFlags,
    },
    log,
  );

/** Returns the path of kube-controller-manager, of the same version as the API server. */
export const kubeControllerManager = (log: Log): Promise<string> =>
  goProgram(
    {
      name: "kube-controller-manager",
      program: `${kubernetes}/cmd/kube-controller-manager`,
      module: kubernetes,
      linkerFlags,
    },
    log,
  );

/** Returns the path of kubectl, of the same version as the API server. */
export const kubectl = (log: Log): Promise<string> =>
  goProgram({ name: "kubectl", program: `${kubernetes}/cmd/kubectl`, module: kubernetes, linkerFlags }, log);

/** Returns the path of kubelet, of the same version as the API server. */
export const kubelet = (log: Log): Promise<string> =>
  goProgram({ name: "kubelet", program: `${kubernetes}/cmd/kubelet`, module: kubernetes, linkerFlags }, log);

/** Returns the path of kube-scheduler, of the same version as the API server. */
export const kubeScheduler = (log: Log): Promise<string> =>
  goProgram(
    {
      name: "kube-scheduler",
      program: `${kubernetes}/cmd/kube-scheduler`,
      module: kubernetes,
      linkerFlags,
    },
    log,
  );
