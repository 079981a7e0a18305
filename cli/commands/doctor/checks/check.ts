import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { HubError } from "#shared/ports/hub.ts";
import { OutcomeTopicError } from "#shared/ports/outcome-topic.ts";
import { QueueError } from "#shared/ports/queue.ts";

/** The result of one check: a `problem` keeps hubrelay from working, a `note` does not. */
export type Check = Readonly<{
  name: string;
  state: "ok" | "note" | "problem";
  found: string;
  /** How to fix it. */
  remedy?: string;
}>;

/** How something was judged; with a name where one row checks several things. */
export type Verdict = Omit<Check, "name"> & Readonly<{ name?: string }>;

export const ok = (found: string): Verdict => ({ state: "ok", found });
export const note = (found: string, remedy: string): Verdict => ({ state: "note", found, remedy });
export const problem = (found: string, remedy: string): Verdict => ({ state: "problem", found, remedy });

/** What can fail while something is read, and is a finding. */
export type ReadFailure = EnvironmentError | HubError | OutcomeTopicError | QueueError;

const isReadFailure = (error: unknown): error is ReadFailure =>
  [EnvironmentError, HubError, OutcomeTopicError, QueueError].some((type) => error instanceof type);

/** Returns how to fix what cannot be read. */
export type Fix = (error: ReadFailure) => string;

/** One check: what is read, how it is judged, and how to fix it where that is not as for its table. */
export type Row<Facts = unknown> = Readonly<{
  name: string;
  /** Whether there is something to check. */
  when?(): boolean | Promise<boolean>;
  read(): Facts | Promise<Facts>;
  judge(facts: Facts): Verdict | readonly Verdict[];
  fix?: Fix;
}>;

/** Returns the row of a check, whose facts are of one type. */
export const row = <Facts>(row: Row<Facts>): Row => row;

/** Returns a row that reads nothing. */
export const stated = (name: string, verdict: Verdict): Row => ({
  name,
  read: () => verdict,
  judge: () => verdict,
});

/** Returns the check of something that could not be read. Throws an error that no person can fix. */
export function failed({ name, fix }: Pick<Row, "name" | "fix">, error: unknown, ofTable: Fix): Check {
  if (!isReadFailure(error)) throw error;
  const found = error instanceof EnvironmentError ? error.message : `${error.message}.`;
  return { name, ...problem(found, (fix ?? ofTable)(error)) };
}

/** Runs the check of a row. Throws what its reading throws. */
export async function checksOf({ name, when, read, judge }: Row): Promise<readonly Check[]> {
  if (when && !(await when())) return [];
  return [judge(await read())].flat().map((verdict) => ({ name, ...verdict }));
}

/** Rows that are made from settings, together. */
export type Table = Readonly<{ name: string; rows(): readonly Row[]; fix: Fix }>;

/** Runs the rows of a table at the same time; what fails is a check. */
export async function tableChecks({ name, rows, fix }: Table): Promise<readonly Check[]> {
  try {
    const ran = rows().map((row) => checksOf(row).catch((error: unknown) => [failed(row, error, fix)]));
    return (await Promise.all(ran)).flat();
  } catch (error) {
    return [failed({ name }, error, fix)];
  }
}

/** Returns a function that asks once for the same arguments. */
export function askedOnce<Asked extends readonly unknown[], Result>(
  ask: (...asked: Asked) => Promise<Result>,
): (...asked: Asked) => Promise<Result> {
  const results = new Map<string, Promise<Result>>();
  return (...asked) => {
    const key = JSON.stringify(asked);
    const result = results.get(key) ?? ask(...asked);
    results.set(key, result);
    return result;
  };
}
