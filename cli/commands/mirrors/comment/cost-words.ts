import type { PoolCost } from "#shared/domain/diff/pool-cost.ts";
import { counted } from "#shared/domain/text/human-readable.ts";

/** Returns how many nodes a pool has, if that is known, and how many change at a time. */
export function nodesInWords({ machineCount, maxUnavailable }: PoolCost): string {
  if (machineCount === 0) return "no nodes";
  const nodes = machineCount === null ? "number of nodes unknown" : counted(machineCount, "node");
  return machineCount === 1 ? nodes : `${nodes}, ${maxUnavailable} at a time`;
}

/** Returns what each node of a pool does, in words. */
export function stepsInWords({ cost, actions }: Pick<PoolCost, "cost" | "actions">): string {
  const services = actions.filter((action) => action !== "drain" && action !== "reboot");
  const rest = services.length > 0 ? `, then ${services.join(", ")}` : "";
  switch (cost) {
    case "none":
      return "the file is written, and nothing restarts";
    case "reload":
      return `on each node ${services.join(", ") || "services reload"}; pods keep running`;
    case "drain":
      return `each node is drained, which evicts its pods${rest}`;
    case "reboot":
      return actions.includes("drain")
        ? "each node is drained, which evicts its pods, and reboots"
        : "each node reboots with its pods";
    default:
      return "each node is deleted, and a new one takes its place";
  }
}
