import type { HostedNodePool } from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { fieldsOf, textOf } from "#shared/domain/kubernetes/json/values.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { marked } from "./common.ts";
import { type Html, html } from "./html.ts";

/** Returns why a node pool is not ready; undefined where it is, or nothing says so. */
function obstacleOf({ conditions }: HostedNodePool): string | undefined {
  const ready = conditions.map(fieldsOf).find(({ type }) => type === "Ready");
  return ready?.status === "False" ? (textOf(ready.message) ?? "not ready") : undefined;
}

/** Nodes run another release than the control plane until their pool is upgraded. */
function otherVersion({ version, runningVersion }: HostedNodePool, of: string | undefined) {
  const own = runningVersion ?? version;
  return own !== null && of !== undefined && own !== of ? own : undefined;
}

/** Renders the node pools of a hosted cluster in one line: how many, of which something is remarkable. */
export function poolSummary(pools: readonly HostedNodePool[], version: string | undefined): Html {
  if (pools.length === 0) return html`<span class="hr-quiet">none</span>`;
  const known = pools.map(({ nodes }) => nodes ?? 0).reduce((sum, one) => sum + one, 0);
  const notReady = pools.filter((pool) => obstacleOf(pool) !== undefined).length;
  const others = pools.filter((pool) => otherVersion(pool, version) !== undefined).length;
  return html`${counted(pools.length, "pool")}, ${counted(known, "node")}${notReady > 0 && html`<br>${marked("hr-warning", "⚠", `${notReady} not ready`)}`}${others > 0 && html`<br>${marked("hr-pulling", "…", `${others} at another version`)}`}`;
}

function poolItem(pool: HostedNodePool, of: string | undefined): Html {
  const { name, version, runningVersion, arch, platform, nodes, autoScaling, upgradeType, config } = pool;
  const { maxSurge, maxUnavailable } = pool;
  const count = nodes === null ? "number of nodes unknown" : counted(nodes, "node");
  const scaled =
    autoScaling !== null && `, scaled from ${autoScaling.min ?? 0} to ${autoScaling.max ?? "any"}`;
  const limits = [
    ...(maxSurge === null ? [] : [`${maxSurge} more`]),
    ...(maxUnavailable === null ? [] : [`${maxUnavailable} unavailable`]),
  ].join(" and ");
  const obstacle = obstacleOf(pool);
  const other = otherVersion(pool, of);
  const details = [
    runningVersion ?? version ?? "version unknown",
    [platform, arch].filter(Boolean).join(" "),
    `${upgradeType ?? "upgrade type unknown"}${limits && `, ${limits} at a time`}`,
    ...(config.length > 0 ? [`configured by ${config.join(", ")}`] : []),
  ].join(" · ");
  return html`<li><strong>${name}</strong> ${count}${scaled}<br><span class="hr-quiet">${details}</span>${obstacle && html`<br>${marked("hr-warning", "⚠", obstacle)}`}${other && html`<br>${marked("hr-pulling", "…", `runs ${other}, the control plane ${of}`)}`}</li>`;
}

/** Renders each node pool of a hosted cluster: what runs, how many nodes, and how they change. */
export function poolList(pools: readonly HostedNodePool[], version: string | undefined): Html {
  if (pools.length === 0) return html`none`;
  return html`<ul class="hr-list">${pools.map((pool) => poolItem(pool, version))}</ul>`;
}
