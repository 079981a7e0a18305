import type { Plan } from "#shared/domain/plan/plan.ts";
import { decideCluster } from "./decide/decide-cluster.ts";
import { decideMirrors } from "./decide/decide-mirrors.ts";
import type { Snapshot } from "./observe.ts";

/** Returns the plan for a snapshot; pure. */
export function decide(snapshot: Snapshot): Plan {
  return snapshot.about === "mirrors" ? decideMirrors(snapshot) : decideCluster(snapshot);
}
