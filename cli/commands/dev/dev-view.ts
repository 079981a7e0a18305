import { shellWord } from "#shared/domain/text/human-readable.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { SafeText } from "../../io/safe-text.ts";
import type { devState, FileOf } from "../../screen/dev-state.ts";

/** Shows what `hubrelay dev` does: as lines of a log, or as a screen. */
export type DevView = Pick<ReturnType<typeof devState>, "log" | "planned"> &
  Readonly<{
    /** `text` is a sentence about the folder; `watched` names it for a status line, `folder` for commands. */
    prepared(text: string, watched: string, folder: string): void;
    opened(hub: Hub, fileOf: FileOf): void;
    /** Everything that existed at the start has been reconciled. */
    firstRoundDone(summary: SafeText, hints: readonly string[]): void;
    /** The process has been asked to end. */
    ending(): void;
    /** Shows the last state, and leaves the terminal as it was found. */
    end(): void;
    /** The same after an error: nothing of the view is left. */
    clear(): void;
  }>;

/** Returns how a person calls hubrelay here, on the hub in a folder if it is given one: npm runs it off the PATH. */
export function hubrelayHere(folder?: string): string {
  const name = ["start", "npx"].includes(process.env.npm_lifecycle_event ?? "")
    ? "npx --no-install hubrelay"
    : "hubrelay";
  return folder === undefined ? name : `HUBRELAY_HUB=${shellWord(`directory:${folder}`)} ${name}`;
}

/** Returns the commands to run first on your own hub, after a fleet on this machine. */
export const nextCommands = (): readonly string[] =>
  ["doctor", "precache plan --sizes", "precache status --watch"].map((one) => `${hubrelayHere()} ${one}`);
