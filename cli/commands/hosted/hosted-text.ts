import type { CapabilityUpgrade } from "#shared/domain/hosted-clusters/capabilities/upgrade.ts";
import type { HostedClusterReport } from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { type SafeText, safe } from "../../io/safe-text.ts";
import { type Cell, table } from "../../io/table.ts";

const heading = ["HOSTEDCLUSTER", "CONTROL PLANE", "SOURCES", "CATALOGS", "CAPABILITIES", "ISSUES"];

function row({
  namespace,
  name,
  controlPlaneNamespace,
  registryOverrides,
  olmCatalogs,
  capabilities,
  issues,
}: HostedClusterReport): readonly Cell[] {
  return [
    `${namespace}/${name}`,
    controlPlaneNamespace,
    String(Object.keys(registryOverrides).length),
    String(olmCatalogs.length),
    String(capabilities.additionalEnabledCapabilities?.length ?? 0),
    String(issues.length),
  ];
}

/** A labelled list, one item a line; a dash when it is empty. */
function section(label: string, items: readonly string[]): SafeText {
  const lines = items.length === 0 ? ["-"] : items;
  return safe`${lines.map((item, index) => safe`  ${(index === 0 ? label : "").padEnd(22)}${item}\n`)}`;
}

/** What an upgrade changes, as parts of a sentence; only what is worth telling. */
function upgradeParts({ appear, stayEnabled, comeBack, stayOff }: CapabilityUpgrade): readonly string[] {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["turns on", appear],
    ["leaves on", stayEnabled],
    ["brings back", comeBack],
    ["leaves off", stayOff],
  ];
  const told = parts.filter(([, names]) => names.length > 0);
  return told.map(([what, names]) => `${what} ${names.join(", ")}`);
}

function upgradeText({ upgrade }: HostedClusterReport): SafeText {
  if (!upgrade) return safe``;
  const parts = upgradeParts(upgrade);
  return section(`with ${upgrade.to}`, parts.length === 0 ? ["nothing changes"] : parts);
}

function details(cluster: HostedClusterReport): SafeText {
  const overrides = Object.entries(cluster.registryOverrides);
  const sources = cluster.imageContentSources;
  return safe`${[
    safe`${cluster.namespace}/${cluster.name}\n`,
    section("control plane", [cluster.controlPlaneNamespace]),
    section(
      "registry overrides",
      overrides.map(([source, mirrors]) => `${source} from ${mirrors.join(", ")}`),
    ),
    section(
      "catalogs",
      cluster.olmCatalogs.map(({ name, image }) => `${name} from ${image}`),
    ),
    section(
      "nodes' mirrors",
      sources.map(({ source, mirrors }) => `${source} from ${mirrors.join(", ")}`),
    ),
    section("capabilities", [(cluster.capabilities.additionalEnabledCapabilities ?? []).join(", ") || "-"]),
    upgradeText(cluster),
  ]}`;
}

/** What hosted clusters are given, for a person: a line for each, or all about the only one. */
export function hostedText(clusters: readonly HostedClusterReport[]): SafeText {
  const [only, ...others] = clusters;
  if (!only) return safe`There is no HostedCluster.\n`;
  if (others.length === 0) return details(only);
  const overview = table([heading, ...clusters.map(row)]);
  const upgrades = clusters.map((cluster) => [cluster, upgradeText(cluster)] as const);
  const told = upgrades.filter(([, text]) => text.width > 0);
  return safe`${overview}${told.map(([{ namespace, name }, text]) => safe`${namespace}/${name}\n${text}`)}`;
}
