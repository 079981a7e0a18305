import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";

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
