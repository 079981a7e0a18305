import { hostOf } from "../../images/scope.ts";
import { byCodeUnit } from "../../kubernetes/json/values.ts";
import { isIncomplete } from "../../precache-model/run-reason.ts";
import { counted } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import { type ClusterGroup, clusterGroupOf, clusterGroups } from "./cluster-group.ts";
import type { ClusterProgress, FleetStatus } from "./fleet-status.ts";

/** Clusters that have the same reason. */
export type ReasonGroup = Readonly<{
  group: ClusterGroup;
  reason: ClusterProgress["reason"];
  count: number;
  /** The registry that the messages of all of them begin with; absent where they name none, or several. */
  registry?: string;
  /** The message of the first of them. */
  example: string;
  first: readonly string[];
}>;

const maxNames = 3;

/** Returns the registry of the image that a message begins with: `registry.lab:8443/release@sha256:…: unauthorized`. */
function registryIn(message: string): string | undefined {
  const [, image] = /^([^\s/]+\/\S+): /.exec(message) ?? [];
  return image === undefined ? undefined : hostOf(image);
}

/** Returns the clusters that failed, are incomplete, wait or cannot be reached by their reasons, the most urgent first. */
export function reasonsOf(clusters: readonly ClusterProgress[]): readonly ReasonGroup[] {
  const notable = clusters.filter(
    (one) => isIncomplete(one) || !["done", "pulling"].includes(clusterGroupOf(one)),
  );
  const grouped = Map.groupBy(
    notable,
    (one) => `${clusterGroups.indexOf(clusterGroupOf(one))} ${one.reason}`,
  );
  return [...grouped.values()]
    .flatMap((some): ReasonGroup[] => {
      const [one] = some;
      if (!one) return [];
      const { reason, message } = one;
      const first = some.slice(0, maxNames).map(({ name }) => name);
      const [registry, ...others] = new Set(some.map((each) => registryIn(each.message)));
      return [
        {
          group: clusterGroupOf(one),
          reason,
          count: some.length,
          ...(registry !== undefined && others.length === 0 ? { registry } : {}),
          example: message,
          first,
        },
      ];
    })
    .sort(
      (a, b) =>
        clusterGroups.indexOf(a.group) - clusterGroups.indexOf(b.group) ||
        b.count - a.count ||
        byCodeUnit(a.reason, b.reason),
    );
}

/** Returns how many clusters have a reason, and where: `70 × Unauthorized at registry.lab:8443`. */
export function reasonText({ count, reason, registry }: ReasonGroup): string {
  return sentence`${count} × ${reason}${registry === undefined ? "" : sentence` at ${registry}`}`;
}

/** Returns the first of this many names: `sno1, sno2, sno3 …`. */
export const namesText = ({ first, count }: Pick<ReasonGroup, "first" | "count">): string =>
  sentence`${first.join(", ")}${count > first.length ? " …" : ""}`;

/** Returns what a fleet's condition says, or how far its plan is. */
export function fleetMessage({ message, total }: FleetStatus): string {
  return message || (total === 0 ? "no cluster is planned" : "planned");
}

/** Clusters named in a line. */
const maxNamed = 3;

/** Returns the clusters that are left to an ImageBasedGroupUpgrade as a line; undefined if there are none. */
export function leftAloneText({ leftAlone = [] }: FleetStatus): string | undefined {
  const [one] = leftAlone;
  if (!one) return undefined;
  const first = leftAlone.slice(0, maxNamed).map(({ name }) => name);
  const names = namesText({ first, count: leftAlone.length });
  return sentence`${counted(leftAlone.length, "selected cluster")} left alone: ${names}. ${one.name}: ${one.reason}`;
}
