import { displayName, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { isEventId } from "#shared/domain/plan/hub-event.ts";
import type { Decision } from "#shared/domain/plan/plan.ts";
import { shellWord } from "#shared/domain/text/human-readable.ts";
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

/** Entries that say the same of several objects. */
export type ActivityLine = Readonly<{
  /** The newest of them. */
  entry: ActivityEntry;
  /** The first of its objects, each once. */
  objects: readonly string[];
  count: number;
}>;

/** What followed from one change. Without an id it is what happened to one object, one after the other. */
export type ActivityGroup = Readonly<{
  id: string | undefined;
  start: ChainStart | undefined;
  /** When the newest of it happened. */
  at: Date;
  /** What it is about, where no change is known. */
  about: string;
  functions: readonly string[];
  lines: readonly ActivityLine[];
  count: number;
}>;

/** What was written to one object, or reported on it, with what that said. */
export type ChainWrite = Readonly<{
  /** `Kind/namespace/name`. */
  object: string;
  isReport: boolean;
  at: Date;
  entries: readonly ActivityEntry[];
}>;

/** What one change on the hub led to. */
export type Chain = Readonly<{
  id: string;
  start: ChainStart;
  /** In the order of time, of all functions. */
  writes: readonly ChainWrite[];
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
  /** The newest changes of those that the filter leaves. */
  groups: readonly ActivityGroup[];
  /** How many entries it leaves, and how many of these are shown. */
  found: number;
  shown: number;
  /** The id of a chain in the address of which the hub knows nothing. */
  missing: string | undefined;
  chain: Chain | undefined;
}>;

/** How many changes are listed; the filter finds the others. */
const maxGroups = 60;
/** How many objects a line names. */
const maxObjects = 3;

function choicesOf(entries: readonly ActivityEntry[], field: "function" | "kind"): readonly Choice[] {
  const counts = [...Map.groupBy(entries, (entry) => entry[field])].map(([value, some]) => ({
    value,
    count: some.length,
  }));
  return counts.filter(({ value }) => value !== "").sort((a, b) => (a.value < b.value ? -1 : 1));
}

/** Forwarders make ids from the uid of the object that has changed. */
const uidOf = (id: string) => /^([0-9a-f-]{36})\//.exec(id)?.[1];

/** Returns a function that reads the change from an id: the object, if it is still there, and what happened to it. */
function starts(ids: readonly string[], { list }: Snapshot): (id: string) => ChainStart {
  const wanted = new Set(ids.map(uidOf));
  const objects = Object.values(kinds).flatMap((kind) =>
    list(kind).filter(({ metadata: { uid } }) => uid !== undefined && wanted.has(uid)),
  );
  const byUid = new Map(objects.map((object) => [object.metadata.uid, displayName(referenceTo(object))]));
  return (id) => {
    const uid = uidOf(id);
    const [, resourceVersion, verb] = uid === undefined ? [] : id.split("/");
    return { object: byUid.get(uid), verb, resourceVersion };
  };
}

function linesOf(entries: readonly ActivityEntry[]): readonly ActivityLine[] {
  const alike = Map.groupBy(entries, ({ function: name, source, kind, what, text }) =>
    JSON.stringify([name, source, kind, what, text]),
  );
  return [...alike.values()].flatMap((some): ActivityLine[] => {
    const [entry] = some;
    const objects = [...new Set(some.map(({ object }) => object))];
    return entry ? [{ entry, objects: objects.slice(0, maxObjects), count: objects.length }] : [];
  });
}

const isReport = ({ written }: ActivityEntry) => written.startsWith(`${kinds.Event.kind}/`);

/**
 * A Kubernetes Event has a name that says nothing, and is about another object; ends of clusters are in the status of an
 * upgrade.
 */
const aboutOf = (entry: ActivityEntry) => (isReport(entry) ? `${entry.kind}/${entry.object}` : entry.written);

/** Returns the entries by the change that led to them, the newest first; those without one while they follow each other. */
function groupsOf(entries: readonly ActivityEntry[]): readonly (readonly ActivityEntry[])[] {
  let last = "";
  let runs = 0;
  const groups = Map.groupBy(entries, (entry) => {
    const { correlationId } = entry;
    const of = correlationId ?? `${entry.function} ${aboutOf(entry)}`;
    if (of !== last) runs++;
    last = of;
    return correlationId ?? runs;
  });
  return [...groups.values()];
}

function groupOf(
  entries: readonly ActivityEntry[],
  startOf: (id: string) => ChainStart,
): readonly ActivityGroup[] {
  const [newest] = entries;
  if (!newest) return [];
  const { correlationId: id, at } = newest;
  return [
    {
      id,
      start: id === undefined ? undefined : startOf(id),
      at,
      about: aboutOf(newest),
      functions: [...new Set(entries.map((entry) => entry.function))],
      lines: linesOf(entries),
      count: entries.length,
    },
  ];
}

/** Kubernetes Events about one object are together, while they are written at one time. */
function writesOf(entries: readonly ActivityEntry[]): readonly ChainWrite[] {
  const groups = Map.groupBy(entries, (entry) =>
    isReport(entry) ? `${entry.at.getTime()} ${aboutOf(entry)}` : entry.written,
  );
  return [...groups.values()].flatMap((some): ChainWrite[] => {
    const [first] = some;
    return first ? [{ object: aboutOf(first), isReport: isReport(first), at: first.at, entries: some }] : [];
  });
}

/** What an entry and a decision are about has more than one form: with the kind, without it, or with a part behind it. */
function isAbout({ subject }: Decision, { kind, object, written }: ActivityEntry): boolean {
  return [object, `${kind}/${object}`, written].some(
    (name) => subject === name || subject.startsWith(`${name} `),
  );
}

function chainOf(
  id: string,
  all: readonly ActivityEntry[],
  startOf: (id: string) => ChainStart,
  { verifications }: Snapshot,
): Chain | undefined {
  const entries = all.filter(({ correlationId }) => correlationId === id).reverse();
  if (entries.length === 0) return undefined;
  const functions = [...new Set(entries.map((entry) => entry.function))].filter((name) =>
    /^[a-z-]+$/.test(name),
  );
  const decisions = verifications
    .filter((one) => functions.includes(one.function))
    .flatMap(({ function: name, decisions: some }) =>
      some.map((decision) => ({ ...decision, function: name })),
    )
    .filter((decision) => entries.some((entry) => isAbout(decision, entry)));
  return {
    id,
    start: startOf(id),
    writes: writesOf(entries),
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
  const newest = groupsOf(matches).slice(0, maxGroups);
  const ids = newest.flatMap(([entry]) => entry?.correlationId ?? []);
  const startOf = starts(id ? [...ids, id] : ids, snapshot);
  const chain = id ? chainOf(id, all, startOf, snapshot) : undefined;
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
    groups: newest.flatMap((entries) => groupOf(entries, startOf)),
    found: matches.length,
    shown: newest.flat().length,
    missing: id && !chain ? id : undefined,
    chain,
  };
}
