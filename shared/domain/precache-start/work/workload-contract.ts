/**
 * The contract between hubrelay and the workload container.
 *
 * In: `args` for a run, or `checkArgs` for a check, which pulls nothing; the environment below; and lists of images as files
 * in `contentFolder`, named as in `contentKeys`. Each entry of a list ends with a newline, including the last one.
 *
 * Out, exit code 0: after a run, the node has every image. A check knows which images the node has. It reports the reason
 * `checkedReason`, in `detail` the names of missing images, and in `image` an index or release that is itself missing, so
 * that its list of images could not be read.
 *
 * Out, any other exit code: the termination message, a JSON object `{reason, image, detail}`.
 *
 * Out, while it runs and at its end: the keys of `progressKeys` in the ConfigMap that PROGRESS_CONFIGMAP names: numbers
 * in decimal, and `reason`, `image` and `detail` as in the termination message. The hub reads that ConfigMap, because a
 * Job's status does not include its containers' messages.
 */
export const workload = {
  container: "pre-cache-container",
  command: ["/bin/bash", "-c"],
  args: ["/opt/precache/precache.sh"],
  /**
   * Arguments of a check, which is a separate program: with an older workload image, which lacks the program, the check
   * fails. If a check were a variable of the environment, an older image would ignore the variable and pull.
   */
  checkArgs: ["/opt/precache/check.sh"],
  contentFolder: "/etc/config",
  hostFolder: "/host",
  environment: {
    namespace: "POD_NAMESPACE",
    content: "CONFIG_VOLUME_PATH",
    progress: "PROGRESS_CONFIGMAP",
    /** Bandwidth of the link in whole Mbit/s, if known: over slow links the workload pulls fewer images at a time. */
    bandwidth: "PULL_BANDWIDTH_MBITS",
    /** The number of images to pull at a time, if set; otherwise the workload uses its default. */
    parallel: "PULL_PARALLEL",
  },
} as const;

/** The reason that the workload reports if a check has a result. */
export const checkedReason = "Checked";

/** Keys of the ConfigMap with the content: those of the Topology Aware Lifecycle Manager (TALM), and pinned versions. */
export const contentKeys = [
  "platform.image",
  "operators.indexes",
  "operators.packagesAndChannels",
  "operators.startingCSVs",
  "excludePrecachePatterns",
  "additionalImages",
  "spaceRequired",
] as const;

/** The keys of the ConfigMap in which the workload reports its progress. */
export const progressKeys = [
  "imagesDone",
  "imagesTotal",
  "bytesDone",
  "bytesTotal",
  "reason",
  "image",
  "detail",
] as const;

/**
 * Paths of the node that are mounted below `hostFolder`, so that the node's own image tools run in a chroot. Only the image
 * storage, and the locks that the container runtime shares, are writable.
 */
export const hostPaths: readonly Readonly<{ path: string; type: "Directory" | "File"; writable?: true }>[] = [
  { path: "/etc/containers", type: "Directory" },
  { path: "/etc/hosts", type: "File" },
  { path: "/etc/kubernetes/kubelet.conf", type: "File" },
  { path: "/etc/pki/ca-trust", type: "Directory" },
  { path: "/etc/resolv.conf", type: "File" },
  { path: "/run/containers", type: "Directory", writable: true },
  { path: "/usr/bin", type: "Directory" },
  { path: "/usr/lib", type: "Directory" },
  { path: "/usr/lib64", type: "Directory" },
  { path: "/usr/libexec", type: "Directory" },
  { path: "/usr/share/containers", type: "Directory" },
  { path: "/var/lib/containers", type: "Directory", writable: true },
  { path: "/var/lib/kubelet/config.json", type: "File" },
];
