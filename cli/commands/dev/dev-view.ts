import type { Hub } from "#shared/ports/hub.ts";
import type { SafeText } from "../../io/safe-text.ts";
import type { devState, Names } from "../../screen/dev-state.ts";

/** Shows what `hubrelay dev` does: as lines of a log, or as a screen. */
export type DevView = Pick<ReturnType<typeof devState>, "log" | "planned"> &
  Readonly<{
    /** `text` is a sentence about the folder; `watched` names it for a status line, `folder` for commands. */
    prepared(text: string, watched: string, folder: string): void;
    opened(hub: Hub, names: Names): void;
    /** Everything that existed at the start has been reconciled. */
    firstRoundDone(summary: SafeText, hints: readonly string[]): void;
    /** The process has been asked to end. */
    ending(): void;
    /** Shows the last state, and leaves the terminal as it was found. */
    end(): void;
    /** The same after an error: nothing of the view is left. */
    clear(): void;
  }>;
