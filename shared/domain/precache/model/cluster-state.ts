/** The states of a cluster in `status.precaching.status`, as TALM spells them. A cluster without one is NotStarted. */
export const clusterStates = {
  NotStarted: "NotStarted",
  PreparingToStart: "PreparingToStart",
  Starting: "Starting",
  Active: "Active",
  Succeeded: "Succeeded",
  PrecacheTimeout: "PrecacheTimeout",
  UnrecoverableError: "UnrecoverableError",
} as const;

export type ClusterState = keyof typeof clusterStates;

/** The states in the order of a run. */
export const stateNames: readonly ClusterState[] = Object.values(clusterStates);

const final: ReadonlySet<string> = new Set([
  clusterStates.Succeeded,
  clusterStates.PrecacheTimeout,
  clusterStates.UnrecoverableError,
]);
const running: ReadonlySet<string> = new Set([
  clusterStates.PreparingToStart,
  clusterStates.Starting,
  clusterStates.Active,
]);

/** True for a state in which a run has ended. */
export function isFinalState(
  state: string | undefined,
): state is "Succeeded" | "PrecacheTimeout" | "UnrecoverableError" {
  return state !== undefined && final.has(state);
}

/** True while objects of the run may be on the cluster. */
export function isRunningState(state: string | undefined): boolean {
  return state !== undefined && running.has(state);
}
