import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { RunningConsole } from "../../../console/server/start-console.ts";

/** The default port of `hubrelay console`: it is fixed, so that an open browser tab works again with the next run. */
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

/** Returns a line with only the address of the pages, so that the line fits a narrow terminal. */
export function pagesHint({ url }: RunningConsole): string {
  return `Pages for a browser: ${url}`;
}
