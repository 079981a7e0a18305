/** The result of one check: a `problem` keeps hubrelay from working, a `note` does not. */
export type Check = Readonly<{
  name: string;
  state: "ok" | "note" | "problem";
  found: string;
  /** How to fix it. */
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
