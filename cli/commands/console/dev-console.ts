import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { RunningConsole } from "../../../console/server/start-console.ts";

/** The default port of `hubrelay console`. It is fixed, so that an open browser tab works again after a restart. */
const usualPort = 8320;

/** Serves pages about a hub to browsers on this machine, on port 8320 or, if that port is in use, on a free port. */
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

/** Returns a line with the address of the pages, short enough for a narrow terminal. */
export function pagesHint({ url }: RunningConsole): string {
  return `Pages for a browser: ${url}`;
}
