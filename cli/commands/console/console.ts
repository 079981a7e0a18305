import { isIP } from "node:net";
import { startConsole } from "../../../console/server/start-console.ts";
import { openLiveHub } from "../../io/live-hub.ts";
import { print, safe } from "../../io/safe-text.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";

export type ConsoleCommandOptions = Readonly<{
  port: number;
  address: string;
  protectedBy?: string;
  hostName?: readonly string[];
}>;

const isLoopback = (address: string) => /^127\.|^::1$/.test(address);

function checkAddress({ address, protectedBy }: ConsoleCommandOptions): void {
  if (isIP(address) === 0) throw new UsageError(`--address ${address}: not an IP address such as 127.0.0.1.`);
  if (isLoopback(address) || protectedBy) return;
  throw new UsageError(
    `--address ${address}: the console shows the hub to everyone who can reach it. Say with --protected-by what keeps strangers out, or listen on 127.0.0.1.`,
  );
}

/** Runs `hubrelay console`: serves pages about the live hub until SIGINT or SIGTERM. Returns the exit code. */
export async function serveConsole(options: ConsoleCommandOptions): Promise<number> {
  checkAddress(options);
  const { port, address, hostName: hostNames = [] } = options;
  return inEnvironment(async () => {
    await using cleanup = new AsyncDisposableStack();
    const hub = cleanup.adopt(await openLiveHub(), (opened) => opened.close());
    const stopped = new Promise<void>((done) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => done());
    });
    const running = cleanup.adopt(await startConsole({ hub, address, port, hostNames }), (one) =>
      one.close(),
    );
    print(safe`Console of ${hub.id}: ${running.url}\nPress Ctrl-C to end.\n`);
    await stopped;
    return exitCodes.fine;
  });
}
