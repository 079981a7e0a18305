import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtempDisposable, readFile, rm, watch, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { NodeFile } from "#shared/domain/openshift/machine-config/node-file.ts";
import { finished, succeeded } from "../../../infra/run-program.ts";
import {
  kubeApiserver,
  kubeControllerManager,
  kubectl,
  kubelet,
  kubeScheduler,
} from "../../cluster/support/programs/programs.ts";
import {
  type Certificate,
  makeAuthority,
  signCertificate,
} from "../../cluster/support/servers/certificates.ts";
import { workAgent } from "../../cluster/support/servers/work-agent.ts";
import { type Lab, type Pull, registries } from "../../images/support/network/lab.ts";
import { writeNodeImages } from "./images.ts";
import {
  crio,
  crioConfiguration,
  kubeConfig,
  kubeletConfiguration,
  nodeAddress,
  pinns,
  podNetwork,
} from "./node-configuration.ts";

/** What became of a pod's container, in the kubelet's words. */
export type ContainerEnd = Readonly<{ reason: string; message: string }>;

/** A cluster of one node: control plane, kubelet and CRI-O, in namespaces of their own within the network of a lab. */
export type RealNode = AsyncDisposable &
  Readonly<{
    /** The version of the control groups that limit its pods. */
    controlGroups: 1 | 2;
    /** Makes these the node's files below /etc/containers, and CRI-O read them, as machine-config-daemon does. */
    configure(files: readonly NodeFile[]): Promise<void>;
    /** Applies objects, with their status where they have one. */
    apply(...objects: readonly KubernetesObject[]): Promise<void>;
    /** Runs OCM's work agent, by which the cluster manages itself under this name: it is hub and managed cluster. */
    startWorkAgent(cluster: string): Promise<void>;
    /** Runs kubectl as administrator and returns its output. */
    kubectl(...words: readonly string[]): Promise<string>;
    /**
     * Starts a pod of an image with a shell, and returns from where it came, and how its container ended or why it waits.
     * An image that the node has is pulled again unless the policy is another one.
     */
    pull(reference: string, policy?: "Always" | "IfNotPresent"): Promise<Pull & ContainerEnd>;
  }>;

const log = (line: string) => console.log(`test:node: ${line}`);
const machine = join(import.meta.dirname, "machine.sh");
const runtime = join(import.meta.dirname, "oci-runtime.sh");

/** Builds what is not cached, and returns the paths of all programs by the names that `machine.sh` uses. */
export async function nodePrograms(): Promise<Readonly<Record<string, string>>> {
  const programs = {
    kube_apiserver: kubeApiserver,
    kube_controller_manager: kubeControllerManager,
    kube_scheduler: kubeScheduler,
    kubectl,
    kubelet,
    crio,
    pinns,
  };
  const paths: Record<string, string> = {
    node: process.execPath,
    names: join(import.meta.dirname, "name-server.ts"),
  };
  for (const [name, program] of Object.entries(programs)) paths[name] = await program(log);
  return paths;
}

/** Writes the certificates of all parts; a user's name in Kubernetes differs from that of its file. */
async function writeCertificates(folder: string): Promise<void> {
  const authority = await makeAuthority(folder, "authority");
  const sign = (
    name: string,
    options: Readonly<{ hosts?: readonly string[]; organizations?: readonly string[] }>,
  ): Promise<Certificate> => signCertificate(folder, authority, name, options);
  const service = ["kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "10.0.0.1"];
  await sign("kube-apiserver", { hosts: ["127.0.0.1", nodeAddress, "localhost", ...service] });
  await sign("kubelet-server", { hosts: [nodeAddress, "node-1"] });
  await sign("admin", { organizations: ["system:masters"] });
  await sign("kubelet-client", { organizations: ["system:masters"] });
  await sign("system:node:node-1", { organizations: ["system:nodes"] });
  const key = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "accounts.key"];
  await succeeded("openssl", key, { cwd: folder });
}

/** Starts a node in the network of a lab; it takes some seconds once the programs are built. */
export async function openRealNode(lab: Lab): Promise<RealNode> {
  await using stack = new AsyncDisposableStack();
  const programs = await nodePrograms();
  const { path: folder } = stack.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-node-")));
  const path = (name: string) => join(folder, name);
  for (const name of ["log/pods", "network", "images", "containers"])
    await mkdir(path(name), { recursive: true });
  await writeCertificates(folder);
  await writeNodeImages(path("images"));
  await writeFile(
    path("programs"),
    Object.entries(programs)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  await writeFile(path("admin.kubeconfig"), kubeConfig(folder, "admin"));
  await writeFile(path("node.kubeconfig"), kubeConfig(folder, "system:node:node-1"));
  await writeFile(path("network/10-node.conflist"), JSON.stringify(podNetwork));
  await writeFile(path("crio.conf"), crioConfiguration(folder, { pinns: programs.pinns ?? "", runtime }));
  await writeFile(path("kubelet.yaml"), JSON.stringify(kubeletConfiguration(folder, basename(folder))));
  await writeFile(path("kubelet.conf"), "kind: KubeletConfiguration\n");
  await writeFiles(folder, []);
  await trustRegistries(folder, lab.trusted);

  const [first = "", ...enter] = lab.enter;
  const namespaces = ["--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc"];
  const child = spawn(
    first,
    [...enter, "unshare", ...namespaces, "--propagation", "private", machine, folder, path("programs")],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let printed = "";
  for (const output of [child.stdout, child.stderr])
    output.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
  const closed = once(child, "close");
  stack.defer(async () => {
    child.kill("SIGKILL");
    await closed;
    await removeGroups(basename(folder));
  });
  while (!printed.includes("ready\n")) {
    const next = await Promise.race([once(child.stdout, "data"), closed.then(() => "end")]);
    if (next === "end") throw new Error(`the node did not start:\n${printed}\n${await lastLines(folder)}`);
  }

  const administer = [...enter, programs.kubectl ?? "", `--kubeconfig=${path("admin.kubeconfig")}`];
  const runKubectl: RealNode["kubectl"] = async (...words) => {
    const { code, stdout, stderr } = await finished(first, [...administer, ...words], { cwd: folder });
    if (code !== 0) throw new Error(`kubectl ${words.join(" ")}: ${stderr}`);
    return stdout;
  };
  let made = 0;
  const apply: RealNode["apply"] = async (...objects) => {
    const file = path(`objects-${++made}.json`);
    await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    await runKubectl("apply", "--server-side", "--force-conflicts", "-f", file);
    for (const { apiVersion, kind, metadata, status } of objects) {
      if (status === undefined) continue;
      const [version, group] = apiVersion.split("/").reverse();
      const patch = JSON.stringify([{ op: "add", path: "/status", value: status }]);
      const patching = ["patch", `${kind}.${version}.${group}`, metadata.name, "--subresource=status"];
      const within = metadata.namespace ? ["-n", metadata.namespace] : [];
      await runKubectl(...within, ...patching, "--type=json", "-p", patch);
    }
  };

  const controlGroups = existsSync("/sys/fs/cgroup/cgroup.controllers") ? 2 : 1;
  const running = stack.move();
  return {
    controlGroups,
    apply,
    kubectl: runKubectl,
    async startWorkAgent(cluster) {
      const config = path("admin.kubeconfig");
      const agent = spawn(
        first,
        [
          ...[...enter, "setpriv", "--pdeathsig=KILL", await workAgent(log), "agent"],
          ...[`--spoke-cluster-name=${cluster}`, `--agent-id=${cluster}-agent`, `--namespace=default`],
          ...[
            "--workload-source-driver=kube",
            `--workload-source-config=${config}`,
            `--kubeconfig=${config}`,
          ],
          ...["--listen=127.0.0.1:8443", "--disable-leader-election", "--status-sync-interval=1s"],
        ],
        { stdio: "ignore", env: { ...process.env, TMPDIR: folder } },
      );
      const ended = once(agent, "close");
      running.defer(async () => {
        agent.kill("SIGKILL");
        await ended;
      });
    },
    async configure(files) {
      await writeFiles(folder, files);
      await reloaded(folder);
    },
    async pull(reference, policy = "Always") {
      const name = `pull-${++made}`;
      let end: ContainerEnd = { reason: "", message: "" };
      const pulled = await lab.observe(reference, async () => {
        await apply(aPod(name, reference, policy));
        end = await endOf(
          spawn(first, [
            ...administer,
            ...["get", "pod", name, "--watch", "-o", 'jsonpath={.status.containerStatuses[0].state}{"\\n"}'],
          ]),
        );
        await runKubectl("delete", "pod", name, "--grace-period=0", "--force");
        return { code: end.reason === "Completed" ? 0 : 1, stdout: "", stderr: end.message };
      });
      return { ...pulled, ...end };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const aPod = (name: string, image: string, imagePullPolicy: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: {
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    containers: [{ name: "one", image, imagePullPolicy, command: ["/bin/busybox", "true"] }],
  },
});

/** Follows the states of a container, a line of JSON each, until it has ended or waits for a reason other than its start. */
async function endOf(watching: ReturnType<typeof spawn>): Promise<ContainerEnd> {
  let printed = "";
  try {
    for await (const chunk of watching.stdout ?? []) {
      printed += chunk;
      for (const line of printed.split("\n").slice(0, -1)) {
        const { waiting, terminated } = line === "" ? {} : JSON.parse(line);
        if (terminated) return { message: "", ...terminated };
        if (waiting && waiting.reason !== "ContainerCreating") return firstEnd({ message: "", ...waiting });
      }
    }
  } finally {
    watching.kill();
  }
  throw new Error(`kubectl ended before the container did: ${printed}`);
}

/** The end of the pull: a wait for the next one may be all that is seen, and has it in its message. */
function firstEnd(end: ContainerEnd): ContainerEnd {
  const { reason, message } =
    /^Back-off pulling image ".*?": (?<reason>\w+): (?<message>.*)$/s.exec(end.message)?.groups ?? {};
  return reason && message ? { reason, message } : end;
}

/** The files of an unconfigured node. */
const unconfigured: Readonly<Record<string, string>> = {
  "registries.conf": "unqualified-search-registries = ['registry.access.redhat.com', 'docker.io']\n",
  "policy.json": '{"default":[{"type":"insecureAcceptAnything"}]}\n',
  "storage.conf":
    '[storage]\ndriver = "overlay"\ngraphroot = "/var/lib/containers/storage"\nrunroot = "/run/containers/storage"\n',
};

const below = "/etc/containers/";

/** Trusts the registries of the lab that have a certificate of its authority, as an additionalTrustedCA does. */
async function trustRegistries(folder: string, trusted: string): Promise<void> {
  for (const [host, protection] of Object.entries(registries)) {
    if (protection !== "trusted") continue;
    await mkdir(join(folder, "containers/certs.d", host), { recursive: true });
    await copyFile(trusted, join(folder, "containers/certs.d", host, "ca.crt"));
  }
}

/** Replaces the files below /etc/containers; the node sees the folder itself, which stays. */
async function writeFiles(folder: string, files: readonly NodeFile[]): Promise<void> {
  const contents = { ...unconfigured };
  for (const { path, contents: text } of files)
    if (path.startsWith(below)) contents[path.slice(below.length)] = text;
  for (const name of ["registries.d", "registries.conf.d"])
    await rm(join(folder, "containers", name), { recursive: true, force: true });
  for (const [name, text] of Object.entries(contents)) {
    const file = join(folder, "containers", name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Asks CRI-O to reload, and waits until its log says that it has. */
async function reloaded(folder: string): Promise<void> {
  const file = join(folder, "log/crio.log");
  const count = async () => (await readFile(file, "utf8")).split("Applied new registry configuration").length;
  const before = await count();
  const signal = AbortSignal.timeout(30_000);
  const changes = watch(file, { signal });
  await succeeded("pkill", ["-HUP", "-f", `${folder}/crio.conf`], { cwd: folder });
  if ((await count()) > before) return;
  for await (const _ of changes) if ((await count()) > before) return;
}

/** The ends of the logs of all parts: why a node does not start. */
async function lastLines(folder: string): Promise<string> {
  const { stdout } = await finished("bash", ["-c", "tail -n 8 log/*.log"], { cwd: folder });
  return stdout;
}

/** Removes the control groups of a node, which outlive its processes. */
async function removeGroups(name: string): Promise<void> {
  const remove = `for top in /sys/fs/cgroup/*/${name}; do [ -d "$top" ] && find "$top" -depth -type d -exec rmdir {} +; done`;
  if (existsSync("/sys/fs/cgroup")) await finished("bash", ["-c", remove], { cwd: "/" });
}
