import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { HubError } from "#shared/ports/hub.ts";
import { OutcomeTopicError } from "#shared/ports/outcome-topic.ts";
import { QueueError } from "#shared/ports/queue.ts";

/** The result of one check. A `problem` keeps hubrelay from working; a `note` does not. */
export type Check = Readonly<{
  name: string;
  state: "ok" | "note" | "problem";
  found: string;
  remedy?: string;
}>;

/** A result of a row. Without a `name`, the result gets the name of the row. */
export type Verdict = Omit<Check, "name"> & Readonly<{ name?: string }>;

export const ok = (found: string): Verdict => ({ state: "ok", found });
export const note = (found: string, remedy: string): Verdict => ({ state: "note", found, remedy });
export const problem = (found: string, remedy: string): Verdict => ({ state: "problem", found, remedy });

/** Errors that a check reports as its result. Any other error is a bug. */
export type ReadFailure = EnvironmentError | HubError | OutcomeTopicError | QueueError;

const isReadFailure = (error: unknown): error is ReadFailure =>
  [EnvironmentError, HubError, OutcomeTopicError, QueueError].some((type) => error instanceof type);

/** Returns a sentence that says how to fix a failed read. */
export type Fix = (error: ReadFailure) => string;

/** Returns the fix for an invalid environment variable. */
export const correctVariable = () => "Correct that variable.";

/** One check: what to read, how to judge what was read, and how to fix a failed read. */
export type Row<Facts = unknown> = Readonly<{
  name: string;
  /** Reports whether there is something to check; absent if there always is. */
  when?(): boolean | Promise<boolean>;
  read(): Facts | Promise<Facts>;
  judge(facts: Facts): Verdict | readonly Verdict[];
  fix?: Fix;
}>;

/** Returns the row itself; the compiler checks that `judge` accepts what `read` returns. */
export const row = <Facts>(row: Row<Facts>): Row => row;

/** Returns a row that reads nothing and always has this result. */
export const stated = (name: string, verdict: Verdict): Row => ({
  name,
  read: () => verdict,
  judge: () => verdict,
});

/** Returns the check that reports a failed read as a problem. Throws `error` again if it is not a `ReadFailure`. */
export function failed(name: string, error: unknown, fix: Fix): Check {
  if (!isReadFailure(error)) throw error;
  const found = error instanceof EnvironmentError ? error.message : `${error.message}.`;
  return { name, ...problem(found, fix(error)) };
}

/** Runs a row and returns its checks; none if there is nothing to check. Throws the error of a failed read. */
export async function checksOf({ name, when, read, judge }: Row): Promise<readonly Check[]> {
  if (when && !(await when())) return [];
  return [judge(await read())].flat().map((verdict) => ({ name, ...verdict }));
}

/** Rows about one subject, such as queues. `rows` throws if the settings are invalid. */
export type Table = Readonly<{ name: string; rows(): readonly Row[] }>;

/** Runs all rows of a table at the same time. A failed read or an invalid setting becomes a check with a problem. */
export async function tableChecks({ name, rows }: Table): Promise<readonly Check[]> {
  try {
    const ran = rows().map((row) =>
      checksOf(row).catch((error: unknown) => [failed(row.name, error, row.fix ?? correctVariable)]),
    );
    return (await Promise.all(ran)).flat();
  } catch (error) {
    return [failed(name, error, correctVariable)];
  }
}
