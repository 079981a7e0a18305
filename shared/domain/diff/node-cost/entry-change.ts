import type { RegistryEntry, RegistryMirror } from "../../mirrors/registries-conf/registries-conf.ts";
import type { CostRule } from "../../plan/cost.ts";
import { sentence } from "../../text/redact.ts";

// Decides like machine-config-daemon whether a changed entry is safe. A removed location is unsafe: a pull by digest
// may fail. A new mirror that serves tags is unsafe: a pull by tag may get another image.

/** A difference between two entries. `isSafe` is true if machine-config-daemon needs no drain for it. */
export type Finding = CostRule & Readonly<{ isSafe: boolean }>;

const digestOnly = "digest-only";

export const safe = (code: CostRule["code"], text: string): Finding => ({ isSafe: true, code, text });
export const unsafe = (code: CostRule["code"], text: string): Finding => ({ isSafe: false, code, text });

function pulls({ pullFromMirror }: RegistryMirror): string {
  return pullFromMirror === "" || pullFromMirror === "all" ? "tags and digests" : pullFromMirror;
}

function locations(mirrors: readonly RegistryMirror[]): string {
  return [...new Set(mirrors.map(({ location }) => location))].join(", ");
}

function isSameMirror(a: RegistryMirror, b: RegistryMirror): boolean {
  return a.location === b.location && a.insecure === b.insecure && a.pullFromMirror === b.pullFromMirror;
}

function isSameEntry(a: RegistryEntry, b: RegistryEntry): boolean {
  return (
    a.prefix === b.prefix &&
    a.location === b.location &&
    a.insecure === b.insecure &&
    a.blocked === b.blocked &&
    a.mirrorByDigestOnly === b.mirrorByDigestOnly &&
    a.mirrors.length === b.mirrors.length &&
    a.mirrors.every((mirror, index) => {
      const other = b.mirrors[index];
      return other !== undefined && isSameMirror(mirror, other);
    })
  );
}

const flags = [
  { field: "prefix", code: "prefix-changed" },
  { field: "location", code: "location-changed" },
  { field: "blocked", code: "blocked-changed" },
  { field: "insecure", code: "insecure-changed" },
] as const;

function flagFindings(before: RegistryEntry, after: RegistryEntry): readonly Finding[] {
  return flags
    .filter(({ field }) => before[field] !== after[field])
    .map(({ field, code }) =>
      unsafe(
        code,
        sentence`${field} changes from ${JSON.stringify(before[field])} to ${JSON.stringify(after[field])}.`,
      ),
    );
}

function removalFindings(before: RegistryEntry, after: RegistryEntry): readonly Finding[] {
  const kept = new Set(after.mirrors.map(({ location }) => location));
  const removed = before.mirrors.filter(({ location }) => !kept.has(location));
  return removed.length > 0
    ? [unsafe("mirror-removed", sentence`Removed from the mirrors: ${locations(removed)}.`)]
    : [];
}

function mirrorFinding(
  mirror: RegistryMirror,
  before: RegistryEntry,
  after: RegistryEntry,
): readonly Finding[] {
  const { location } = mirror;
  const first = before.mirrors.find((other) => other.location === location);
  const isDigestOnly = mirror.pullFromMirror === digestOnly;
  if (!first) {
    return isDigestOnly || after.mirrorByDigestOnly
      ? [safe("mirror-added-digest-only", sentence`The new mirror ${location} serves pulls by digest only.`)]
      : [unsafe("mirror-added-for-tags", sentence`The new mirror ${location} serves ${pulls(mirror)}.`)];
  }
  if (mirror.pullFromMirror === first.pullFromMirror) return [];
  if (isDigestOnly)
    return [
      safe("mirror-now-digest-only", sentence`The mirror ${location} now serves pulls by digest only.`),
    ];
  const wasThere = before.mirrors.some((other) => isSameMirror(other, mirror));
  return [
    unsafe(
      "mirror-pull-kind-changed",
      wasThere
        ? sentence`The mirror ${location} serves ${pulls(mirror)} as before, but is compared with the entry's first mirror of that location, which serves ${pulls(first)}.`
        : sentence`The mirror ${location} serves ${pulls(mirror)} instead of ${pulls(first)}.`,
    ),
  ];
}

function unseenFinding(before: RegistryEntry, after: RegistryEntry): Finding {
  const sorted = ({ mirrors }: RegistryEntry) =>
    mirrors
      .map(({ location, pullFromMirror, insecure }) => `${location} ${pullFromMirror} ${insecure}`)
      .sort();
  const isReordered =
    before.mirrorByDigestOnly === after.mirrorByDigestOnly && sorted(before).join() === sorted(after).join();
  return isReordered
    ? safe("mirrors-reordered", "The same mirrors in another order, which is not compared.")
    : safe("not-compared", "Only fields that are not compared differ, such as whether a mirror needs TLS.");
}

/** Returns all differences between an old and a new entry, unsafe differences first. */
export function compareEntries(before: RegistryEntry, after: RegistryEntry): readonly Finding[] {
  if (isSameEntry(before, after)) return [];
  const findings = [
    ...flagFindings(before, after),
    ...removalFindings(before, after),
    ...after.mirrors.flatMap((mirror) => mirrorFinding(mirror, before, after)),
  ];
  if (findings.length === 0) return [unseenFinding(before, after)];
  return [...findings.filter(({ isSafe }) => !isSafe), ...findings.filter(({ isSafe }) => isSafe)];
}

/** Returns the finding for an entry that only the new file has. */
export function findAddedEntry(entry: RegistryEntry): Finding {
  if (entry.mirrors.length === 0) {
    return entry.mirrorByDigestOnly
      ? safe("entry-added-digest-only", "A new entry that is limited to pulls by digest.")
      : unsafe(
          "entry-added-without-mirrors",
          "A new entry without mirrors, so it only changes the source itself.",
        );
  }
  const forTags = entry.mirrors.filter(({ pullFromMirror }) => pullFromMirror !== digestOnly);
  return forTags.length === 0
    ? safe("entry-added-digest-only", "A new entry whose mirrors all serve pulls by digest only.")
    : unsafe(
        "entry-added-for-tags",
        sentence`A new entry with mirrors that serve tags: ${locations(forTags)}.`,
      );
}

/** The finding for an entry that only the old file has. */
export const entryRemoved: Finding = unsafe("entry-removed", "The entry is removed.");
