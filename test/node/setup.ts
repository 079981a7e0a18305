import { join } from "node:path";
import { succeeded } from "../../infra/run-program.ts";
import { kustomize } from "../cluster/support/manifests/kustomize.ts";
import { missingPrograms } from "../cluster/support/programs/programs.ts";
import { workAgent } from "../cluster/support/servers/work-agent.ts";
import { nodePrograms } from "./support/real-node.ts";

/** Runs once before the tests: reports what the machine lacks, and builds what takes minutes. */
export async function setup(): Promise<void> {
  const packages = {
    conmon: "conmon",
    runc: "runc",
    "/usr/lib/cni/bridge": "containernetworking-plugins",
    busybox: "busybox-static",
    "iptables-nft": "iptables",
    etcd: "etcd-server",
    jq: "jq",
    podman: "podman",
    skopeo: "skopeo",
    "docker-registry": "docker-registry",
    openssl: "openssl",
    gcc: "gcc",
    ip: "iproute2",
    unshare: "util-linux",
    pkill: "procps",
  };
  const missing = missingPrograms(packages, ".ci/install-node.sh");
  if (missing) throw new Error(`The tests with a real node cannot run here. ${missing}`);
  await succeeded(join(import.meta.dirname, "support/why-not.sh"), [], { cwd: import.meta.dirname });
  await nodePrograms();
  for (const program of [workAgent, kustomize]) await program(console.log);
}
