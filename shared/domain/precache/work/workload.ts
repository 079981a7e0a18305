import { isRecord } from "../../json/values.ts";

/**
 * What hubrelay and the container that pulls the images have to agree on; both sides keep to this file.
 *
 * In: the environment below, and the lists of images as files in `contentFolder`, named as the keys of
 * `contentKeys`. Every list ends each entry with a newline, the last one too.
 *
 * Out: exit code 0 when every image is on the node. Otherwise the termination message, a JSON object
 * `{reason, image, detail}`. While it runs, and at its end, the keys of `progressKeys` in the ConfigMap that
 * PROGRESS_CONFIGMAP names: numbers in decimal, `reason`, `image` and `detail` as in the termination message.
 * A Job's status tells nothing of its container, so that ConfigMap is what the hub reads.
 */
export const workload = {
  container: "pre-cache-container",
  command: ["/bin/bash", "-c"],
  args: ["/opt/precache/precache.sh"],
  contentFolder: "/etc/config",
  hostFolder: "/host",
  environment: {
    namespace: "POD_NAMESPACE",
    content: "CONFIG_VOLUME_PATH",
    progress: "PROGRESS_CONFIGMAP",
    /** Whole Mbit/s of the link, where somebody has told: thin links take fewer images at a time. */
    bandwidth: "PULL_BANDWIDTH_MBITS",
    /** How many images at a time, at most; the workload's own number where nobody has told. */
    parallel: "PULL_PARALLEL",
  },
} as const;

/** The keys of the ConfigMap with the content to cache: those of the Topology Aware Lifecycle Manager. */
export const contentKeys = [
  "platform.image",
  "operators.indexes",
  "operators.packagesAndChannels",
  "excludePrecachePatterns",
  "additionalImages",
  "spaceRequired",
] as const;

/** The keys of the ConfigMap in which the workload tells how far it is. */
export const progressKeys = [
  "imagesDone",
  "imagesTotal",
  "bytesDone",
  "bytesTotal",
  "bytesFree",
  "reason",
  "image",
  "detail",
] as const;

/**
 * Paths of the node that the workload sees below `hostFolder`: enough to run the node's own image tools in a chroot,
 * and no more. Only storage and the locks that it shares with the container runtime can be written.
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

/** What a run of the workload ended with; absent parts were not told. */
export type Termination = Readonly<{ reason?: string; image?: string; detail?: string }>;

/** Reads a termination message. One that is no JSON object is told as the detail. Never throws. */
export function readTermination(message: string): Termination {
  const detail = message.trim();
  try {
    const told: unknown = JSON.parse(message);
    if (isRecord(told)) {
      const text = (field: string) => (typeof told[field] === "string" ? { [field]: told[field] } : {});
      return { ...text("reason"), ...text("image"), ...text("detail") };
    }
  } catch {
    // Killed while it wrote, or a shell's own words.
  }
  return detail === "" ? {} : { detail };
}
