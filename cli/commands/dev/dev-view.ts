import { shellWord } from "#shared/domain/text/human-readable.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { SafeText } from "../../io/safe-text.ts";
import type { devState, FileOf } from "../../screen/dev-state.ts";

/** The output of `hubrelay dev`: a log, or a screen. */
export type DevView = Pick<ReturnType<typeof devState>, "log" | "planned"> &
  Readonly<{
    /** Called when the hub's folder is ready. `watched` describes the folder for people. */
    prepared(watched: string, folder: string): void;
    opened(hub: Hub, fileOf: FileOf): void;
    /** Called when every object that existed at the start is reconciled. */
    firstRoundDone(summary: SafeText, hints: readonly string[]): void;
    ending(): void;
    /** Shows the final state, and restores the terminal. */
    end(): void;
    /** Restores the terminal after an error, and removes everything that the view has drawn. */
    clear(): void;
  }>;

/** Returns shell words that call hubrelay, on the hub in `folder` if it is set. Under npm, PATH has no `hubrelay`. */
export function hubrelayHere(folder?: string): string {
  const name = ["start", "npx"].includes(process.env.npm_lifecycle_event ?? "")
    ? "npx --no-install hubrelay"
    : "hubrelay";
  return folder === undefined ? name : `HUBRELAY_HUB=${shellWord(`directory:${folder}`)} ${name}`;
}

/** Returns the commands that a user tries first on a real hub. */
export const nextCommands = (): readonly string[] =>
  ["doctor", "precache plan --sizes", "precache status --watch"].map((one) => `${hubrelayHere()} ${one}`);
