import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import type { Log } from "./cache.ts";
import { goProgram } from "./go-program.ts";

/** The Debian package that each program comes from. */
type Packages = Readonly<Record<string, string>>;

/** The version that Kubernetes' go.mod requires. */
const wantedGo = { major: 1, minor: 26 } as const;

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(":").some((folder) => {
    try {
      accessSync(resolve(folder, program), constants.X_OK);
      return true;
    } catch {
      return false; // not in this folder
    }
  });
}

function missingGo(): string | undefined {
  const wanted = `Go ${wantedGo.major}.${wantedGo.minor} or newer`;
  const { status, stdout } = spawnSync("go", ["env", "GOVERSION"], { encoding: "utf8" });
  if (status !== 0) return `Go is not on the PATH: install ${wanted}.`;
  const [, major = "0", minor = "0"] = /^go(\d+)\.(\d+)/.exec(stdout) ?? [];
  const isNewEnough =
    Number(major) > wantedGo.major || (Number(major) === wantedGo.major && Number(minor) >= wantedGo.minor);
  return isNewEnough ? undefined : `Go on the PATH is ${stdout.trim()}: install ${wanted}.`;
}

/** Reports which programs are not installed, and the remedy; undefined when all are. */
export function missingPrograms(packages: Packages, installer: string): string | undefined {
  const missing = Object.entries(packages).filter(([program]) => !isInstalled(program));
  if (missing.length === 0) return undefined;
  const wanted = [...new Set(missing.map(([, name]) => name))].join(" ");
  const programs = missing.map(([program]) => program).join(", ");
  return `Not installed: ${programs}. On Debian or Ubuntu run ${installer} as root, or apt-get install ${wanted}.`;
}

/** Reports why real API servers are not available on this machine, and the remedy; undefined when they are. */
export function missingForCluster(): string | undefined {
  const packages = { etcd: "etcd-server", openssl: "openssl", setpriv: "util-linux" };
  const reasons = [missingPrograms(packages, ".ci/install-cluster.sh"), missingGo()].filter(Boolean);
  return reasons.length > 0 ? reasons.join(" ") : undefined;
}

const module = "helm.sh/helm/v4";

/** Returns the path of Helm, built from its Go module when it is not cached: less than two minutes on two cores. */
export const helm = (log: Log): Promise<string> =>
  goProgram({ name: "helm", program: `${module}/cmd/helm`, module }, log);

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
