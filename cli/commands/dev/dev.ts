import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { canDraw } from "../../io/live-screen.ts";
import { print, verbatim } from "../../io/safe-text.ts";
import type { DevOptions } from "./run-dev.ts";

function printAsLines(events: readonly OutcomeEvent[]): void {
  for (const event of events) print(verbatim(`${JSON.stringify(event)}\n`));
}

/** Runs `hubrelay dev`. With `events`, prints outcome events on standard output. Returns the exit code. */
export async function dev({
  events,
  ...options
}: DevOptions & Readonly<{ events?: boolean }>): Promise<number> {
  const isDrawn = !events && !options.once && canDraw(process.stdout, process.env);
  const view = isDrawn
    ? (await import("./screen-view.ts")).screenView(process.stdout)
    : (await import("./plain-view.ts")).plainView(events ? process.stderr : process.stdout);
  try {
    const { runDev } = await import("./run-dev.ts");
    const exitCode = await runDev(events ? { ...options, onOutcomes: printAsLines } : options, view);
    view.end();
    return exitCode;
  } catch (error) {
    view.clear();
    throw error;
  }
}
