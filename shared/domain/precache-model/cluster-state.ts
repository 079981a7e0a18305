/** The states of a cluster in `status.precaching.status`, as TALM spells them, in the order of a run. */
export const clusterStates = [
  {
    state: "NotStarted",
    phase: "waiting",
    meaning: "It has no slot. The status has no entry for it; its record says what it waits for.",
  },
  {
    state: "PreparingToStart",
    phase: "running",
    meaning: "It has a slot; its ManifestWork is being created.",
  },
  {
    state: "Starting",
    phase: "running",
    meaning: "Its ManifestWork exists; its Job does not run, or is suspended.",
  },
  { state: "Active", phase: "running", meaning: "Its Job runs." },
  { state: "Succeeded", phase: "ended", meaning: "Its images are on the cluster." },
  { state: "PrecacheTimeout", phase: "ended", meaning: "Its deadline has passed." },
  {
    state: "UnrecoverableError",
    phase: "ended",
    meaning: "Its Job has failed, or the cluster refused an object.",
  },
] as const;

export type ClusterState = (typeof clusterStates)[number]["state"];

export const stateNames: readonly ClusterState[] = clusterStates.map(({ state }) => state);

/** What leads from one state to another; `follow` and `slotChanges` make these steps and no others. */
export const clusterTransitions: readonly Readonly<{
  from: readonly ClusterState[];
  to: readonly ClusterState[];
  when: string;
}>[] = [
  { from: ["NotStarted"], to: ["PreparingToStart"], when: "it gets a slot" },
  {
    from: ["PreparingToStart"],
    to: ["NotStarted"],
    when: "its windows close, or another upgrade has started on it, before its Job could run",
  },
  { from: ["PreparingToStart"], to: ["Starting"], when: "its ManifestWork exists" },
  { from: ["PreparingToStart", "Starting"], to: ["Active"], when: "its Job runs" },
  { from: ["Active"], to: ["Starting"], when: "its Job is suspended, or has to be created again" },
  { from: ["Starting"], to: ["NotStarted"], when: "its agent is unreachable, and its Job is suspended" },
  { from: ["Starting", "Active"], to: ["PreparingToStart"], when: "its ManifestWork was removed" },
  {
    from: ["PreparingToStart", "Starting", "Active"],
    to: ["Succeeded", "PrecacheTimeout", "UnrecoverableError"],
    when: "its Job has ended, or its deadline has passed",
  },
  {
    from: ["NotStarted"],
    to: ["Starting", "Active", "Succeeded", "PrecacheTimeout", "UnrecoverableError"],
    when: "a ManifestWork reports it: its record was lost, or its agent has returned",
  },
  {
    from: ["Succeeded", "PrecacheTimeout", "UnrecoverableError"],
    to: ["NotStarted"],
    when: "it is to be pre-cached again: a retry is requested, or images are missing before an opening",
  },
];

const phases: ReadonlyMap<string, string> = new Map(clusterStates.map(({ state, phase }) => [state, phase]));

/** True for a state in which a run has ended. */
export function isFinalState(
  state: string | undefined,
): state is "Succeeded" | "PrecacheTimeout" | "UnrecoverableError" {
  return state !== undefined && phases.get(state) === "ended";
}

/** True while objects of the run may be on the cluster. */
export function isRunningState(state: string | undefined): boolean {
  return state !== undefined && phases.get(state) === "running";
}
