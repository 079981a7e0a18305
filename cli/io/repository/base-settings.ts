import { isSameJson } from "#shared/domain/kubernetes/json/values.ts";
import { sentence } from "#shared/domain/text/redact.ts";
import { type Settings, settingsFile } from "./settings.ts";

/** Returns what a list has more than another one. */
export const moreIn = <Item>(items: readonly Item[], others: readonly Item[]): readonly Item[] =>
  items.filter((item) => !others.some((other) => isSameJson(item, other)));

/** Returns the settings that decide about a change: those of its base, with its own clusters and what it accepts. */
export const decidingSettings = (base: Settings, { clusters, accept }: Settings): Settings => ({
  ...base,
  clusters,
  accept,
});

/** Returns the lists that the base decides, as texts. */
const listsOf = ({ exclude, failOn, severities }: Settings) => [
  ["exclude", exclude] as const,
  ["failOn", failOn] as const,
  ["severities", severities.map(({ code, severity }) => sentence`${code} (${severity})`)] as const,
];

/** Returns what a change does to the settings that its base decides, as parts of a sentence. */
export function settingsEffects(base: Settings, own: Settings): readonly string[] {
  const before = new Map<string, readonly string[]>(listsOf(base));
  const ofLists = listsOf(own).flatMap(([name, after]) => {
    const old = before.get(name) ?? [];
    return [
      ...moreIn<string>(after, old).map((item) => sentence`adds ${item} to ${name}`),
      ...moreIn<string>(old, after).map((item) => sentence`removes ${item} from ${name}`),
    ];
  });
  const isOther = base.acceptances !== own.acceptances;
  return [...ofLists, ...(isOther ? [sentence`sets acceptances to ${own.acceptances}`] : [])];
}

/** What a change does to what decides about it. */
type Effects = Readonly<{
  /** What it does to the settings that its base decides. */
  effects: readonly string[];
  /** What it accepts that its base does not. */
  added: readonly string[];
}>;

/** Returns sentences about what a change does to what decides about it; empty if it is nothing. */
export function changeNote({ effects, added }: Effects): string {
  return [
    added.length > 0 && sentence`This change ${added.join(", and ")}.`,
    effects.length > 0 &&
      sentence`This change ${effects.join(", and ")} in ${settingsFile}: that counts from when it is merged.`,
  ]
    .filter((one) => one !== false)
    .join(" ");
}
