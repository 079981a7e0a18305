import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { HubError } from "#shared/ports/hub.ts";
import { OutcomeTopicError } from "#shared/ports/outcome-topic.ts";
import { QueueError } from "#shared/ports/queue.ts";

/** The result of one check: a `problem` keeps hubrelay from working, a `note` does not. */
export type Check = Readonly<{
  name: string;
  state: "ok" | "note" | "problem";
  found: string;
  remedy?: string;
}>;

/** The result of a check. A result without a `name` gets the row's name; a row with several results names each. */
export type Verdict = Omit<Check, "name"> & Readonly<{ name?: string }>;

export const ok = (found: string): Verdict => ({ state: "ok", found });
export const note = (found: string, remedy: string): Verdict => ({ state: "note", found, remedy });
export const problem = (found: string, remedy: string): Verdict => ({ state: "problem", found, remedy });

/** The errors that a check reports as its finding; any other error is a bug. */
export type ReadFailure = EnvironmentError | HubError | OutcomeTopicError | QueueError;

const isReadFailure = (error: unknown): error is ReadFailure =>
  [EnvironmentError, HubError, OutcomeTopicError, QueueError].some((type) => error instanceof type);

/** Returns a sentence that says how to fix a failed read. */
export type Fix = (error: ReadFailure) => string;

/** Returns the fix for an invalid setting. */
export const correctVariable = () => "Correct that variable.";

/** One check: what to read, how to judge it, and how to fix a failed read. */
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

/** Returns a row whose result is known in advance, so that it reads nothing. */
export const stated = (name: string, verdict: Verdict): Row => ({
  name,
  read: () => verdict,
  judge: () => verdict,
});

/** Returns the check that reports a failed read. Throws the error if a user cannot fix it. */
export function failed(name: string, error: unknown, fix: Fix): Check {
  if (!isReadFailure(error)) throw error;
  const found = error instanceof EnvironmentError ? error.message : `${error.message}.`;
  return { name, ...problem(found, fix(error)) };
}

/** Runs a row. Returns its checks, none if there is nothing to check. Throws the error of a failed read. */
export async function checksOf({ name, when, read, judge }: Row): Promise<readonly Check[]> {
  if (when && !(await when())) return [];
  return [judge(await read())].flat().map((verdict) => ({ name, ...verdict }));
}

/** Checks of one subject, such as queues. `rows` reads the settings, and throws if they are invalid. */
export type Table = Readonly<{ name: string; rows(): readonly Row[] }>;

/** Runs the rows of a table at the same time. Returns a failed read, or an invalid setting, as a check with a problem. */
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
