import type { Snapshot } from "#functions/maintenance-window/observe.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { outcomesOf } from "../messages/outcomes-of.ts";
import { aManagedCluster } from "./precache-plan-objects.ts";
import { aStoredUpgrade } from "./precache-snapshots.ts";
import { aWindow } from "./precache-windows.ts";

/** `aWindow` is open from one to three o'clock. */
export const open = new Date("2026-03-01T02:00:00Z");
export const noon = new Date("2026-03-01T12:00:00Z");

export const stored = (window: KubernetesObject, generation = 1): KubernetesObject => ({
  ...window,
  metadata: { ...window.metadata, uid: "w", resourceVersion: "3", generation },
});
export const night = stored(aWindow("night"));

/** The hub at an opening, with an upgrade of two clusters that `night` selects. */
export const aSnapshot = (changes: Partial<Snapshot> = {}): Snapshot => ({
  now: open,
  hubId: "urn:test:hub",
  windows: [night],
  upgrades: [aStoredUpgrade(["sno1", "sno2"])],
  configs: [],
  reports: [],
  managedClusters: ["sno1", "sno2"].map((name) => aManagedCluster(name)),
  waitingEvents: [],
  ...changes,
});

/** The hub after a plan was applied. */
export function afterwards(snapshot: Snapshot, { actions }: Plan): Snapshot {
  const byName = new Map(actions.map(({ object }) => [object.metadata.name, object]));
  return {
    ...snapshot,
    windows: snapshot.windows.map((window) => byName.get(window.metadata.name) ?? window),
  };
}
export const statusIn = ({ actions: [action] }: Plan) => {
  const { conditions: _conditions, ...status } = Object(action?.object.status);
  return status;
};
export const conditionsIn = ({ actions: [action] }: Plan) =>
  Object(action?.object.status).conditions.map(
    ({ type, status, reason, message }: Record<string, string>) => `${type} ${status} ${reason}: ${message}`,
  );
export const outcomes = (plan: Plan) =>
  outcomesOf(plan).map(
    ({ type, subject }) => `${type.replace("dev.hubrelay.maintenance-window.", "")} ${subject}`,
  );
