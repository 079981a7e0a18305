import { canDraw } from "../../screen/live-screen.ts";
import type { DevOptions } from "./run-dev.ts";

/**
 * Runs `hubrelay dev`: see `runDev`. On a terminal its screen is drawn before hub, queues and functions are loaded.
 * Returns the exit code.
 */
export async function dev({ log, ...options }: DevOptions & Readonly<{ log?: boolean }>): Promise<number> {
  const isDrawn = !log && !options.once && canDraw(process.stdout, process.env);
  const view = isDrawn
    ? (await import("./screen-view.ts")).screenView(process.stdout)
    : (await import("./plain-view.ts")).plainView(process.stdout);
  try {
    const { runDev } = await import("./run-dev.ts");
    const exitCode = await runDev(options, view);
    view.end();
    return exitCode;
  } catch (error) {
    view.clear();
    throw error;
  }
}
