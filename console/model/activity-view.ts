import { fieldsOf } from "#shared/domain/kubernetes/json/values.ts";
import { displayName, type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { isEventId } from "#shared/domain/plan/hub-event.ts";
import { correlationAnnotation, keptOutcomesOn } from "#shared/domain/plan/kept-outcomes.ts";
import { outcomeTypes } from "#shared/domain/plan/outcome-event.ts";
import { isFinalState } from "#shared/domain/precache-model/cluster-state.ts";
import { shellWord } from "#shared/domain/text/human-readable.ts";
import { fleetsByUrgency } from "./fleet-summaries.ts";
import { dateOf, readObjectReport } from "./object-reports.ts";
import type { Query, Snapshot } from "./snapshot.ts";

/** What a viewer has chosen; `chain` is the id of the change that led to the entries. */
export type ActivityFilter = Readonly<Partial<Record<"function" | "kind" | "object" | "chain", string>>>;

/** A value of a filter with its number among all entries. */
export type Choice = Readonly<{ value: string; count: number }>;

export type ActivityView = Readonly<{
  total: number;
  filter: ActivityFilter;
  functions: readonly Choice[];
  kinds: readonly Choice[];
  /** The newest of those that the filter leaves. */
  entries: readonly ActivityEntry[];
  /** How many entries it leaves. */
  found: number;
  /** The command that finds the log entries of the chosen change; undefined without one. */
  logs: string | undefined;
}>;

/** How many entries are listed; the filter finds the others. */
const maxEntries = 200;

function choicesOf(entries: readonly ActivityEntry[], field: "function" | "kind"): readonly Choice[] {
  const counts = [...Map.groupBy(entries, (entry) => entry[field])].map(([value, some]) => ({
    value,
    count: some.length,
  }));
  return counts.filter(({ value }) => value !== "").sort((a, b) => (a.value < b.value ? -1 : 1));
}

const logsOf = (id: string): string =>
  `kubectl -n hubrelay logs -l app.kubernetes.io/part-of=hubrelay --prefix --tail=-1 | grep ${shellWord(`"correlationId":"${id}"`)}`;

/** Returns what happens on the hub, filtered as the address says. */
export function activityView(snapshot: Snapshot, query: Query): ActivityView {
  const { function: name, kind, object: text, chain } = query;
  const object = text?.trim();
  const filter: ActivityFilter = {
    ...(name ? { function: name } : {}),
    ...(kind ? { kind } : {}),
    ...(object ? { object } : {}),
    ...(chain ? { chain } : {}),
  };
  const all = activityEntries(snapshot);
  const some = all.filter(
    (entry) =>
      (!object || entry.object.includes(object) || entry.written.includes(object)) &&
      (!chain || entry.correlationId === chain),
  );
  const isOfKind = (entry: ActivityEntry) => !kind || entry.kind === kind;
  const isOfFunction = (entry: ActivityEntry) => !name || entry.function === name;
  const matches = some.filter((entry) => isOfKind(entry) && isOfFunction(entry));
  return {
    total: all.length,
    filter,
    functions: choicesOf(some.filter(isOfKind), "function"),
    kinds: choicesOf(some.filter(isOfFunction), "kind"),
    entries: matches.slice(0, maxEntries),
    found: matches.length,
    logs: chain && isEventId(chain) ? logsOf(chain) : undefined,
  };
}

/** Something that a function has decided, written or refused. */
export type ActivityEntry = Readonly<{
  at: Date;
  /** An outcome was published; a report is a Kubernetes Event; a state is what a status says. */
  source: "outcome" | "report" | "state";
  function: string;
  kind: string;
  /** `namespace/name`, or the name alone. */
  object: string;
  what: string;
  text: string;
  isWarning: boolean;
  /** What was written with it, as `Kind/namespace/name`; for an Event the Event itself. */
  written: string;
  /** The id of the hub event that led to it; not known of everything. */
  correlationId: string | undefined;
}>;

const whenOf: ReadonlyMap<string, string> = new Map(outcomeTypes.map(({ type, when }) => [type, when]));

/** The outcomes that report something that a person may have to act on. */
const warnings = /\.(?:held|drift|refused|cluster-failed|images-missing)$/;

/** What an Event is about may have any name: namespace and name lose their credentials before they are one text. */
const nameOf = ({ namespace = "", name }: Readonly<{ namespace?: string | undefined; name: string }>) =>
  displayName({ kind: "", namespace, name });

type About = Readonly<{ kind: string; object: string }>;

/** Returns what an object is about: a Kubernetes Event is about another one. */
function aboutOf(object: KubernetesObject): About {
  const { kind, name, namespace } = fieldsOf(object.involvedObject);
  if (typeof kind !== "string" || typeof name !== "string")
    return { kind: object.kind, object: nameOf(object.metadata) };
  return { kind, object: nameOf({ name, namespace: typeof namespace === "string" ? namespace : undefined }) };
}

const functionOf = (type: string) => type.split(".")[2]?.replace(/^precache$/, "precache-status") ?? "";

/** Returns the outcomes that an object keeps, the newest first also where they have the same time. */
function outcomesOf(object: KubernetesObject): readonly ActivityEntry[] {
  return keptOutcomesOn(object)
    .toReversed()
    .flatMap(({ type, time, correlationid }): ActivityEntry[] => {
      const at = dateOf(time);
      if (!at) return [];
      return [
        {
          at,
          source: "outcome",
          function: functionOf(type),
          ...aboutOf(object),
          what: type.slice(type.lastIndexOf(".") + 1),
          text: whenOf.get(type) ?? type,
          isWarning: warnings.test(type),
          written: displayName(referenceTo(object)),
          correlationId: correlationid,
        },
      ];
    });
}

function reportOf(object: KubernetesObject): readonly ActivityEntry[] {
  const { function: name, isWarning, reason, message, last, since } = readObjectReport(object);
  const at = last ?? since;
  if (!at) return [];
  return [
    {
      at,
      source: "report",
      function: name,
      ...aboutOf(object),
      what: reason,
      text: message,
      isWarning,
      written: displayName(referenceTo(object)),
      correlationId: object.metadata.annotations?.[correlationAnnotation],
    },
  ];
}

/** Outcomes of clusters are made from their records, which keep no id. */
function endsOf(snapshot: Snapshot): readonly ActivityEntry[] {
  return fleetsByUrgency(snapshot).flatMap(({ status: { namespace, name, clusters } }) =>
    clusters.flatMap(({ name: cluster, state, since, reason, message }): ActivityEntry[] => {
      const at = isFinalState(state) ? dateOf(since) : undefined;
      if (!at) return [];
      const hasFailed = state !== "Succeeded";
      return [
        {
          at,
          source: "state",
          function: "precache-status",
          kind: "ManagedCluster",
          object: cluster,
          what: hasFailed ? "cluster-failed" : "cluster-succeeded",
          text: [reason, message].filter(Boolean).join(": "),
          isWarning: hasFailed,
          written: displayName({ kind: "ClusterGroupUpgrade", namespace, name }),
          correlationId: undefined,
        },
      ];
    }),
  );
}

function openingsOf({ list }: Snapshot): readonly ActivityEntry[] {
  return list(kinds.MaintenanceWindow).flatMap((object): ActivityEntry[] => {
    const { open, changedAt } = fieldsOf(object.status);
    const at = dateOf(changedAt);
    if (!at) return [];
    return [
      {
        at,
        source: "state",
        function: "maintenance-window",
        ...aboutOf(object),
        what: open === true ? "opened" : "closed",
        text: `a MaintenanceWindow has ${open === true ? "opened" : "closed"}`,
        isWarning: false,
        written: displayName(referenceTo(object)),
        correlationId: undefined,
      },
    ];
  });
}

/** The kinds that the console reads and whose objects keep outcomes. */
const keepers = [kinds.MachineConfig, kinds.ClusterGroupUpgrade, kinds.HostedCluster, kinds.Event];

/** Returns what the hub still knows of what functions did, the newest first. */
export function activityEntries(snapshot: Snapshot): readonly ActivityEntry[] {
  const { list } = snapshot;
  return [
    ...keepers.flatMap((kind) => list(kind).flatMap(outcomesOf)),
    ...list(kinds.Event).flatMap(reportOf),
    ...endsOf(snapshot),
    ...openingsOf(snapshot),
  ].sort((a, b) => b.at.getTime() - a.at.getTime());
}
