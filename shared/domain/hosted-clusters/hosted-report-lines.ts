import { fieldsOf } from "../kubernetes/json/values.ts";
import { sentence } from "../text/redact.ts";
import type { HostedClusterReport, HostedNodePool } from "./hosted-cluster-report.ts";

/** Returns how a node pool's nodes get new content, e.g. `Replace, 1 more and 0 unavailable at a time`. */
function upgradeText({ upgradeType, maxSurge, maxUnavailable }: HostedNodePool): string {
  const limits = [
    ...(maxSurge === null ? [] : [sentence`${maxSurge} more`]),
    ...(maxUnavailable === null ? [] : [sentence`${maxUnavailable} unavailable`]),
  ];
  return limits.length === 0
    ? (upgradeType ?? "unknown upgrade type")
    : sentence`${upgradeType}, ${limits.join(" and ")} at a time`;
}

const statusOf = (condition: unknown, type: string): boolean =>
  fieldsOf(condition).type === type && fieldsOf(condition).status === "False";

/** Returns a node pool in one line: what runs, where, how many, and how it changes. */
function poolText(pool: HostedNodePool): string {
  const { name, version, releaseImage, arch, platform, nodes, autoScaling, config, conditions } = pool;
  const scaled = autoScaling
    ? sentence`, scaled from ${autoScaling.min ?? 0} to ${autoScaling.max ?? "any"}`
    : "";
  const count = nodes === null ? "number of nodes unknown" : nodes === 1 ? "1 node" : `${nodes} nodes`;
  const parts = [
    version ?? (releaseImage || "no release"),
    ...(platform === null ? [arch] : [`${platform} ${arch}`]),
    `${count}${scaled}`,
    upgradeText(pool),
    ...(config.length > 0 ? [sentence`configured by ${config.join(", ")}`] : []),
    ...(conditions.some((one) => statusOf(one, "Ready")) ? ["not ready"] : []),
  ];
  return sentence`${name}: ${parts.join("; ")}`;
}

/** Returns what a hosted cluster gets, by name, as text: one for each item. */
export function hostedItems({
  registryOverrides,
  olmCatalogs,
  imageContentSources,
  nodePools,
  capabilities,
}: HostedClusterReport): readonly (readonly [string, readonly string[]])[] {
  const enabled = (capabilities.additionalEnabledCapabilities ?? []).join(", ");
  const which = capabilities.baselineCapabilitySet === "vCurrent" ? "all of the release: " : "";
  return [
    [
      "registry overrides",
      Object.entries(registryOverrides).map(
        ([source, mirrors]) => sentence`${source} from ${mirrors.join(", ")}`,
      ),
    ],
    ["catalogs", olmCatalogs.map(({ name, image }) => sentence`${name} from ${image}`)],
    [
      "nodes' mirrors",
      imageContentSources.map(({ source, mirrors }) => sentence`${source} from ${mirrors.join(", ")}`),
    ],
    ...(nodePools.length > 0 ? [["node pools", nodePools.map(poolText)] as const] : []),
    ["capabilities", enabled === "" ? [] : [`${which}${enabled}`]],
  ];
}
