import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { succeeded } from "../../../infra/run-program.ts";
import { cached, type Log } from "../../cluster/support/programs/cache.ts";
import { moduleDirectory } from "../../cluster/support/programs/go.ts";
import { goProgram, serverFolder } from "../../cluster/support/programs/go-program.ts";

/** The address of the node, of its API server and of the name server of its pods. */
export const nodeAddress = "10.244.0.1";

/** Pods on a bridge, with addresses of their own. */
export const podNetwork = {
  cniVersion: "0.4.0",
  name: "node",
  plugins: [
    {
      type: "bridge",
      bridge: "cni0",
      isGateway: true,
      hairpinMode: true,
      ipam: {
        type: "host-local",
        dataDir: "/run/cni-ipam",
        ranges: [[{ subnet: "10.244.0.0/24", rangeStart: "10.244.0.10", gateway: nodeAddress }]],
        routes: [{ dst: "0.0.0.0/0" }],
      },
    },
  ],
};

/** CRI-O's configuration: storage and signature policy where RHCOS has them, and the tests' runtime. */
export const crioConfiguration = (folder: string, programs: Readonly<{ pinns: string; runtime: string }>) => `
[crio]
root = "/var/lib/containers/storage"
runroot = "/run/containers/storage"
storage_driver = "overlay"
log_dir = "${folder}/log/pods"
version_file = "/run/crio/version"
version_file_persist = ""
clean_shutdown_file = "/run/crio/clean.shutdown"
[crio.api]
listen = "/run/crio/crio.sock"
[crio.runtime]
cgroup_manager = "cgroupfs"
conmon_cgroup = "pod"
default_runtime = "own"
pinns_path = "${programs.pinns}"
namespaces_dir = "/run/crio-namespaces"
container_exits_dir = "/run/crio/exits"
container_attach_socket_dir = "/run/crio/attach"
[crio.runtime.runtimes.own]
runtime_path = "${programs.runtime}"
runtime_type = "oci"
runtime_root = "/run/own"
monitor_path = "/usr/bin/conmon"
monitor_cgroup = "pod"
[crio.image]
pause_image = "localhost/pause:1"
pause_command = ""
signature_policy = "/etc/containers/policy.json"
[crio.network]
network_dir = "${folder}/network"
plugin_dirs = ["/usr/lib/cni"]
[crio.nri]
enable_nri = false
`;

/** The kubelet's configuration on a machine with cgroups v1 and without systemd. */
export const kubeletConfiguration = (folder: string, cgroup: string) => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  address: nodeAddress,
  readOnlyPort: 0,
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: `${folder}/authority.crt` },
  },
  authorization: { mode: "Webhook" },
  tlsCertFile: `${folder}/kubelet-server.crt`,
  tlsPrivateKeyFile: `${folder}/kubelet-server.key`,
  containerRuntimeEndpoint: "unix:///run/crio/crio.sock",
  failCgroupV1: false,
  failSwapOn: false,
  cgroupDriver: "cgroupfs",
  cgroupRoot: `/${cgroup}`,
  enforceNodeAllocatable: ["pods"],
  resolvConf: "",
  podLogsDir: `${folder}/log/pods`,
  // The disk of the machine is shared with other work.
  evictionHard: { "memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
  imageGCHighThresholdPercent: 100,
  imageGCLowThresholdPercent: 99,
  nodeStatusUpdateFrequency: "2s",
  // The tests read the first error of a pull, and create a pod for each.
  serializeImagePulls: true,
  oomScoreAdj: 0,
  clusterDNS: [nodeAddress],
  clusterDomain: "cluster.local",
});

/** The kubeconfig of a user of the node's API server, whose certificate is in the folder. */
export const kubeConfig = (folder: string, user: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "one",
        cluster: {
          server: `https://${nodeAddress}:6443`,
          "certificate-authority": `${folder}/authority.crt`,
        },
      },
    ],
    users: [
      {
        name: user,
        user: { "client-certificate": `${folder}/${user}.crt`, "client-key": `${folder}/${user}.key` },
      },
    ],
    contexts: [{ name: user, context: { cluster: "one", user } }],
    "current-context": user,
  });

const module = "github.com/cri-o/cri-o";

/** Returns the path of CRI-O, built from its Go module when it is not cached, without storage drivers that need libraries. */
export const crio = (log: Log): Promise<string> =>
  goProgram(
    {
      name: "crio",
      program: `${module}/cmd/crio`,
      module,
      tags: ["containers_image_openpgp", "exclude_graphdriver_btrfs", "exclude_graphdriver_devicemapper"],
      usesC: true,
    },
    log,
  );

/** Returns the path of pinns, which keeps the namespaces of CRI-O's pods; it is C, a part of the same module. */
export async function pinns(log: Log): Promise<string> {
  const folder = serverFolder("crio");
  return cached("pinns", { files: [join(folder, "go.mod")], texts: [] }, async (output) => {
    log("building pinns");
    const source = join(await moduleDirectory(folder, module), "pinns/src");
    const files = (await readdir(source)).filter((file) => file.endsWith(".c"));
    await succeeded("gcc", ["-O2", "-static", "-o", output, ...files], { cwd: source });
  });
}
