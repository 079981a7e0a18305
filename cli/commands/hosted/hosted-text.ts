import type { CapabilityUpgrade } from "#shared/domain/hosted-clusters/capabilities/upgrade.ts";
import {
  type HostedClusterReport,
  hostedItems,
} from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import type { Coverage } from "#shared/domain/issues/coverage.ts";
import { type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, tableWithHeadings } from "../../io/table.ts";

/** A hosted cluster as `hubrelay hosted` prints it. */
export type ShownCluster = HostedClusterReport & Readonly<{ coverage: Coverage }>;

const heading = ["HOSTEDCLUSTER", "CONTROL PLANE", "SOURCES", "CATALOGS", "CAPABILITIES", "ISSUES"];

const counted = (names: readonly string[]) => String(names.length);
const listed = (names: readonly string[]) => names.join(",") || "-";

function row(
  {
    namespace,
    name,
    controlPlaneNamespace,
    registryOverrides,
    olmCatalogs,
    capabilities,
    issues,
  }: ShownCluster,
  shown: (names: readonly string[]) => string,
): readonly Cell[] {
  return [
    `${namespace}/${name}`,
    controlPlaneNamespace,
    shown(Object.keys(registryOverrides)),
    shown(olmCatalogs.map((catalog) => catalog.name)),
    capabilities ? shown(capabilities.additionalEnabledCapabilities ?? []) : "all",
    String(issues.length),
  ];
}

function section(label: string, items: readonly string[]): SafeText {
  const lines = items.length === 0 ? ["-"] : items;
  return safe`${lines.map((item, index) => safe`  ${(index === 0 ? label : "").padEnd(22)}${item}\n`)}`;
}

function upgradeParts({ gains, loses, stayEnabled }: CapabilityUpgrade): readonly string[] {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["turns on", gains],
    ["turns off", loses],
    ["leaves on", stayEnabled],
  ];
  const changes = parts.filter(([, names]) => names.length > 0);
  return changes.map(([what, names]) => `${what} ${names.join(", ")}`);
}

function upgradeText({ upgrade }: ShownCluster): SafeText {
  if (!upgrade) return safe``;
  const parts = upgradeParts(upgrade);
  return section(`with ${upgrade.to}`, parts.length === 0 ? ["nothing changes"] : parts);
}

function details(cluster: ShownCluster): SafeText {
  return safe`${[
    safe`${cluster.namespace}/${cluster.name}\n`,
    section("control plane", [cluster.controlPlaneNamespace]),
    ...hostedItems(cluster).map(([label, items]) => section(label, items)),
    upgradeText(cluster),
  ]}`;
}

const poolHeading = ["NODEPOOL", "VERSION", "PLATFORM", "ARCH", "NODES", "UPGRADE", "CONFIG"];

function poolTable(clusters: readonly ShownCluster[]): SafeText {
  const rows = clusters.flatMap(({ namespace, nodePools }) =>
    nodePools.map(({ name, version, platform, arch, nodes, upgradeType, config }): readonly Cell[] => [
      `${namespace}/${name}`,
      version ?? "unknown",
      platform ?? "-",
      arch,
      nodes === null ? "unknown" : String(nodes),
      upgradeType ?? "unknown",
      listed(config),
    ]),
  );
  return rows.length === 0 ? safe`` : safe`\n${tableWithHeadings(poolHeading, rows)}`;
}

const upgradeHeading = ["HOSTEDCLUSTER", "FROM", "TO", "GAINS", "LOSES", "LEAVES ON"];

function upgradeRow({ namespace, name }: ShownCluster, upgrade: CapabilityUpgrade): readonly Cell[] {
  const { from, to, gains, loses, stayEnabled } = upgrade;
  const lists = [gains, loses, stayEnabled].map((names) => names.join(", ") || "-");
  return [`${namespace}/${name}`, from ?? "unknown", to, ...lists];
}

/**
 * Renders a row for each hosted cluster. A wide overview lists names instead of counts, and the node pools below. If an
 * upgrade was requested, the rows describe the upgrade.
 */
export function hostedOverview(
  clusters: readonly ShownCluster[],
  { isWide = false }: Readonly<{ isWide?: boolean }> = {},
): SafeText {
  if (clusters.length === 0) return safe`No HostedClusters found.\n`;
  const upgrades = clusters.flatMap((cluster) =>
    cluster.upgrade ? [upgradeRow(cluster, cluster.upgrade)] : [],
  );
  if (upgrades.length > 0) return tableWithHeadings(upgradeHeading, upgrades);
  const overview = tableWithHeadings(
    heading,
    clusters.map((cluster) => row(cluster, isWide ? listed : counted)),
  );
  return isWide ? safe`${overview}${poolTable(clusters)}` : overview;
}

/** Renders several hosted clusters as rows, a single one with all details. */
export function hostedText(clusters: readonly ShownCluster[]): SafeText {
  const [only, ...others] = clusters;
  return only && others.length === 0 ? details(only) : hostedOverview(clusters);
}
