/** One thing that was looked at: `problem` keeps hubrelay from working, `note` is worth knowing. */
export type Check = Readonly<{
  name: string;
  state: "ok" | "note" | "problem";
  found: string;
  /** How to mend it. */
  remedy?: string;
}>;

export const ok = (name: string, found: string): Check => ({ name, state: "ok", found });
export const note = (name: string, found: string, remedy: string): Check => ({
  name,
  state: "note",
  found,
  remedy,
});
export const problem = (name: string, found: string, remedy: string): Check => ({
  name,
  state: "problem",
  found,
  remedy,
});

/** The beginning of a long list, and how much more there is. */
export function someOf(items: readonly string[], most = 5): string {
  const more = items.length - most;
  return more > 0 ? `${items.slice(0, most).join(", ")} and ${more} more` : items.join(", ");
}
