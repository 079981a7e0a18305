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

function row(cluster: ShownCluster): readonly Cell[] {
  const { namespace, name, controlPlaneNamespace, registryOverrides, olmCatalogs, capabilities, issues } =
    cluster;
  return [
    `${namespace}/${name}`,
    controlPlaneNamespace,
    String(Object.keys(registryOverrides).length),
    String(olmCatalogs.length),
    capabilities ? String(capabilities.additionalEnabledCapabilities?.length ?? 0) : "all",
    String(issues.length),
  ];
}

function section(label: string, items: readonly string[]): SafeText {
  const lines = items.length === 0 ? ["-"] : items;
  return safe`${lines.map((item, index) => safe`  ${(index === 0 ? label : "").padEnd(22)}${item}\n`)}`;
}

function upgradeSection({ to, gains, loses, stayEnabled }: CapabilityUpgrade): SafeText {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["turns on", gains],
    ["turns off", loses],
    ["leaves on", stayEnabled],
  ];
  const changes = parts.flatMap(([what, names]) => (names.length > 0 ? [`${what} ${names.join(", ")}`] : []));
  return section(`with ${to}`, changes.length === 0 ? ["nothing changes"] : changes);
}

function details(cluster: ShownCluster): SafeText {
  return safe`${[
    safe`${cluster.namespace}/${cluster.name}\n`,
    section("control plane", [cluster.controlPlaneNamespace]),
    ...hostedItems(cluster).map(([label, items]) => section(label, items)),
    cluster.upgrade ? upgradeSection(cluster.upgrade) : safe``,
  ]}`;
}

function hostedOverview(clusters: readonly ShownCluster[]): SafeText {
  if (clusters.length === 0) return safe`No HostedClusters found.\n`;
  const upgrades = clusters.flatMap(({ namespace, name, upgrade }) =>
    upgrade ? [safe`${namespace}/${name}\n${upgradeSection(upgrade)}`] : [],
  );
  return upgrades.length > 0 ? safe`${upgrades}` : tableWithHeadings(heading, clusters.map(row));
}

/** Renders several hosted clusters as rows of a table, but a single hosted cluster with all details. */
export function hostedText(clusters: readonly ShownCluster[]): SafeText {
  const [only, ...others] = clusters;
  return only && others.length === 0 ? details(only) : hostedOverview(clusters);
}
