import { sentence } from "../credentials/redact.ts";
import { byCodeUnit, someOf, withoutRepeats } from "../json/values.ts";

/** Why something that was there was not read, as text says it, in the order of the text. */
export const unreadReasons = {
  kind: "other kinds",
  document: "no Kubernetes objects",
  cluster: "of another cluster",
  template: "a template decides it",
  "not-enforced": "its policy does not enforce it",
  unreadable: "cannot be read",
  permission: "no permission",
  "not-given": "not given",
  unreachable: "does not respond",
  "not-checked": "not checked",
} as const;
export type UnreadReason = keyof typeof unreadReasons;

/** What an assumption is about. */
export const assumedParts = [
  "release",
  "image",
  "pool",
  "machine-configs",
  "node-files",
  "side",
  "architecture",
  "hub-version",
  "policies",
] as const;

/** A kind, or one object or file, and how many of them. */
export type Counted = Readonly<{ what: string; count: number }>;

/** Something that was there and was not read. */
export type Unread = Counted & Readonly<{ why: UnreadReason }>;

/** Something that the input does not say; `text` is what is assumed instead, as a part of a sentence. */
export type Assumption = Readonly<{ what: (typeof assumedParts)[number]; text: string }>;

/** What a result is about. */
export type Coverage = Readonly<{
  /** Nothing is unread, and nothing is assumed. */
  complete: boolean;
  read: readonly Counted[];
  unread: readonly Unread[];
  assumed: readonly Assumption[];
}>;

/** Adds the counts of items with the same texts, and sorts them. */
function merged<Item extends Counted>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Item[] {
  return [...Map.groupBy(items, keyOf)]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([, [first, ...others]]) =>
      first ? [{ ...first, count: others.reduce((sum, { count }) => sum + count, first.count) }] : [],
    );
}

const reasons = Object.keys(unreadReasons);
const mergedUnread = (unread: readonly Unread[]): readonly Unread[] =>
  merged(unread, ({ what, why }) => `${reasons.indexOf(why)} ${what}`);

/** Returns what several inputs do not have or say; what they share counts once. */
export const unreadOfAll = (all: readonly (readonly Unread[])[]): readonly Unread[] =>
  withoutRepeats(all.flatMap(mergedUnread));

/** Returns the coverage of a result, each thing once. */
export function coverageOf({ read, unread, assumed }: Omit<Coverage, "complete">): Coverage {
  return {
    complete: unread.length === 0 && assumed.length === 0,
    read: merged(read, ({ what }) => what),
    unread: mergedUnread(unread),
    assumed: withoutRepeats(assumed),
  };
}

/** Returns the coverage of several results; what they share counts once. */
export function coverageOfAll(all: readonly Coverage[]): Coverage {
  return coverageOf({
    read: withoutRepeats(all.flatMap(({ read }) => read)),
    unread: unreadOfAll(all.map(({ unread }) => unread)),
    assumed: all.flatMap(({ assumed }) => assumed),
  });
}

const countedText = ({ what, count }: Counted): string => (count > 1 ? sentence`${what} (${count})` : what);

/** Renders a coverage as at most two lines: what was not read, and what is assumed. None for a complete one. */
export function coverageLines({ unread, assumed }: Coverage): readonly string[] {
  const groups = [...Map.groupBy(unread, ({ why }) => why)];
  const notRead = groups.map(
    ([why, some]) => sentence`${someOf(some.map(countedText))}: ${unreadReasons[why]}`,
  );
  return [
    ...(notRead.length > 0 ? [sentence`Not read: ${notRead.join("; ")}.`] : []),
    ...(assumed.length > 0 ? [sentence`Assumed: ${assumed.map(({ text }) => text).join("; ")}.`] : []),
  ];
}
