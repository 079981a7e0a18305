import { isEventId } from "#shared/domain/events/hub-event.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { displayName, referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { Decision } from "#shared/domain/plan/plan.ts";
import { shellWord } from "#shared/domain/text/shell-word.ts";
import { type ActivityEntry, activityEntries } from "./activity-entries.ts";
import type { Query, Snapshot } from "./snapshot.ts";

export type ActivityFilter = Readonly<{ function?: string; kind?: string; object?: string }>;

/** A value of a filter with its number among all entries. */
export type Choice = Readonly<{ value: string; count: number }>;

/** The change on the hub with which a chain began. */
export type ChainStart = Readonly<{
  /** `Kind/namespace/name`; undefined of an object that is gone, or of a kind that the console does not read. */
  object: string | undefined;
  verb: string | undefined;
  resourceVersion: string | undefined;
}>;

/** What one change on the hub led to. */
export type Chain = Readonly<{
  id: string;
  start: ChainStart;
  /** In the order of time, of all functions. */
  entries: readonly ActivityEntry[];
  /** What these functions decide now about the same objects. */
  decisions: readonly (Decision & Readonly<{ function: string }>)[];
  /** For each function the command that finds its log entries. */
  logs: readonly string[];
}>;

export type ActivityView = Readonly<{
  total: number;
  filter: ActivityFilter;
  functions: readonly Choice[];
  kinds: readonly Choice[];
  /** The newest of those that the filter leaves. */
  entries: readonly ActivityEntry[];
  /** How many it leaves. */
  found: number;
  /** The id of a chain in the address of which the hub knows nothing. */
  missing: string | undefined;
  chain: Chain | undefined;
}>;

/** How many entries are listed; the filter finds the others. */
const maxEntries = 150;

function choicesOf(entries: readonly ActivityEntry[], field: "function" | "kind"): readonly Choice[] {
  const counts = [...Map.groupBy(entries, (entry) => entry[field])].map(([value, some]) => ({
    value,
    count: some.length,
  }));
  return counts.filter(({ value }) => value !== "").sort((a, b) => (a.value < b.value ? -1 : 1));
}

/** Returns the object, if it is still there, and the change that an id of hubrelay's forwarder names. */
function startOf(id: string, { list }: Snapshot): ChainStart {
  const [uid, resourceVersion, verb] = /^[0-9a-f-]{36}\//.test(id) ? id.split("/") : [];
  const found =
    uid &&
    Object.values(kinds)
      .flatMap(list)
      .find(({ metadata }) => metadata.uid === uid);
  return { object: found ? displayName(referenceTo(found)) : undefined, verb, resourceVersion };
}

/** What an entry and a decision are about has more than one form: with the kind, without it, or with a part behind it. */
function isAbout({ subject }: Decision, { kind, object, written }: ActivityEntry): boolean {
  return [object, `${kind}/${object}`, written].some(
    (name) => subject === name || subject.startsWith(`${name} `),
  );
}

function chainOf(id: string, all: readonly ActivityEntry[], snapshot: Snapshot): Chain | undefined {
  const entries = all.filter(({ correlationId }) => correlationId === id).reverse();
  if (entries.length === 0) return undefined;
  const functions = [...new Set(entries.map((entry) => entry.function))].filter((name) =>
    /^[a-z-]+$/.test(name),
  );
  const decisions = snapshot.verifications
    .filter((one) => functions.includes(one.function))
    .flatMap(({ function: name, decisions: some }) =>
      some.map((decision) => ({ ...decision, function: name })),
    )
    .filter((decision) => entries.some((entry) => isAbout(decision, entry)));
  return {
    id,
    start: startOf(id, snapshot),
    entries,
    decisions,
    logs: isEventId(id)
      ? functions.map(
          (name) =>
            `kubectl -n hubrelay logs -l app.kubernetes.io/name=hubrelay-${name} --prefix --tail=-1 | grep ${shellWord(`"correlationId":"${id}"`)}`,
        )
      : [],
  };
}

/** Returns what happens on the hub, filtered as the address says, with the chain of the change that it names. */
export function activityView(snapshot: Snapshot, query: Query): ActivityView {
  const { function: name, kind, object: text, chain: id } = query;
  const object = text?.trim();
  const filter: ActivityFilter = {
    ...(name ? { function: name } : {}),
    ...(kind ? { kind } : {}),
    ...(object ? { object } : {}),
  };
  const all = activityEntries(snapshot);
  const ofObject = all.filter(
    (entry) => !object || entry.object.includes(object) || entry.written.includes(object),
  );
  const matches = ofObject.filter(
    (entry) => (!name || entry.function === name) && (!kind || entry.kind === kind),
  );
  const chain = id ? chainOf(id, all, snapshot) : undefined;
  return {
    total: all.length,
    filter,
    functions: choicesOf(
      ofObject.filter((entry) => !kind || entry.kind === kind),
      "function",
    ),
    kinds: choicesOf(
      ofObject.filter((entry) => !name || entry.function === name),
      "kind",
    ),
    entries: matches.slice(0, maxEntries),
    found: matches.length,
    missing: id && !chain ? id : undefined,
    chain,
  };
}
