/**
 * The contract between hubrelay and the workload container.
 *
 * Input: `args` for a run, or `checkArgs` for a check, which pulls nothing; the variables of the environment; and lists
 * of images as files in `contentFolder`, named as in `contentKeys`. Each entry of a list ends with a newline.
 *
 * Exit code 0 of a run: the node has every image.
 *
 * Exit code 0 of a check: the check has a result. It reports the reason `checkedReason` and, in `detail`, the names of
 * missing images. An index or release that is itself missing is in `image`; the images that it lists are then unknown.
 *
 * Any other exit code: the termination message is a JSON object `{reason, image, detail}`.
 *
 * Progress: while it runs and at its end, the container writes the keys of `progressKeys` to the ConfigMap that
 * PROGRESS_CONFIGMAP names; numbers are decimal. The hub reads this ConfigMap, because a Job's status does not include
 * its containers' messages.
 */
export const workload = {
  container: "pre-cache-container",
  command: ["/bin/bash", "-c"],
  args: ["/opt/precache/precache.sh"],
  /**
   * Arguments of a check. It is a separate program, so that it fails with an older workload image. If it were a
   * variable of the environment, an older image would ignore the variable and pull.
   */
  checkArgs: ["/opt/precache/check.sh"],
  contentFolder: "/etc/config",
  hostFolder: "/host",
  environment: {
    namespace: "POD_NAMESPACE",
    content: "CONFIG_VOLUME_PATH",
    progress: "PROGRESS_CONFIGMAP",
    /** Bandwidth in whole Mbit/s, if known. Over slow links the workload pulls fewer images at a time. */
    bandwidth: "PULL_BANDWIDTH_MBITS",
    /** The number of images to pull at a time; if it is absent, the workload uses its own default. */
    parallel: "PULL_PARALLEL",
  },
} as const;

/** The reason that the workload reports if a check has a result. */
export const checkedReason = "Checked";

/** The keys of the ConfigMap with lists of images: TALM's keys, and `operators.startingCSVs` for pinned versions. */
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
 * Paths of the node that are mounted below `hostFolder`, so that the workload can run the node's own image tools in a
 * chroot. Only the image storage, and the locks that the container runtime shares, are writable.
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
