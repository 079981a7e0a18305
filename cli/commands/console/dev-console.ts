import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { RunningConsole } from "../../../console/server/start-console.ts";

/** The port of `hubrelay console`, so that an open tab of a browser works with the next run. */
const usualPort = 8320;

/** Serves pages about a hub to browsers on this machine: on the usual port or, while that is in use, on a free one. */
export async function startDevConsole(hub: Hub): Promise<RunningConsole> {
  const { startConsole } = await import("../../../console/server/start-console.ts");
  const at = (port: number) => startConsole({ hub, address: "127.0.0.1", port });
  try {
    return await at(usualPort);
  } catch (error) {
    if (error instanceof EnvironmentError) return at(0);
    throw error;
  }
}

/** Returns the line with the address of the pages; it is a line of its own so that it fits a narrow terminal. */
export function pagesHint({ url }: RunningConsole): string {
  return `Pages for a browser: ${url}`;
}
