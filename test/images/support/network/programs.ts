import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/** The Debian package that each program comes from. */
const packages = {
  podman: "podman",
  netavark: "netavark",
  "aardvark-dns": "aardvark-dns",
  skopeo: "skopeo",
  "docker-registry": "docker-registry",
  openssl: "openssl",
  ip: "iproute2",
  tc: "iproute2",
  unshare: "util-linux",
  nsenter: "util-linux",
  setpriv: "util-linux",
  jq: "jq",
  curl: "curl",
  pkill: "procps",
} as const;

/** Where podman finds its own helpers, besides PATH. */
const helpers = ["/usr/libexec/podman", "/usr/lib/podman"];

function isInstalled(program: string): boolean {
  return [...(process.env.PATH ?? "").split(":"), ...helpers].some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false; // not in this folder
    }
  });
}

/** Reports why pulls cannot be tested on this machine, and the remedy; undefined when they can. */
export function missingForPulls(): string | undefined {
  const missing = Object.entries(packages).filter(([program]) => !isInstalled(program));
  if (missing.length > 0) {
    const names = missing.map(([program]) => program).join(", ");
    const wanted = [...new Set(missing.map(([, name]) => name))].join(" ");
    return `Not installed: ${names}. On Debian or Ubuntu run .ci/install-images.sh as root, or apt-get install ${wanted}.`;
  }
  if (process.getuid?.() !== 0) {
    return "The tests need root, for namespaces of their own: run them as root or in a privileged container.";
  }
  return undefined;
}
