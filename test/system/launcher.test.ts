import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { environmentWith } from "./cli.ts";

const launcher = fileURLToPath(new URL("../../cli/hubrelay.js", import.meta.url));
const older =
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })";

/** Starts the launcher as a Node that is too old for the sources, which starts another process. */
function startLauncher(args: readonly string[], hub: string) {
  const started = spawn(process.execPath, ["--import", `data:text/javascript,${older}`, launcher, ...args], {
    env: environmentWith({ hub }),
  });
  // Its streams are closed only when the process that it started has ended, too.
  const end = new Promise<readonly [number | null, string | null]>((resolve) =>
    started.once("close", (code, signal) => resolve([code, signal])),
  );
  return { started, end };
}

test.for([
  { signal: "SIGTERM", end: [0, null] },
  { signal: "SIGINT", end: [0, null] },
  { signal: "SIGHUP", end: [null, "SIGHUP"] },
] as const)(
  "When $signal ends the launcher on an older Node, it should end hubrelay as well",
  async ({ signal, end: expected }) => {
    const { started, end } = startLauncher(
      ["console", "--port", "0"],
      `directory:${await temporaryFolder()}`,
    );
    for await (const chunk of started.stdout) if (String(chunk).includes("Press Ctrl-C")) break;
    started.kill(signal);
    expect(await end).toEqual(expected);
  },
);

test("When hubrelay fails under the launcher on an older Node, it should have its exit code", async () => {
  const { started, end } = startLauncher(["verify"], "nonsense");
  expect(await text(started.stderr)).toContain("HUBRELAY_HUB has no adapter");
  expect(await end).toEqual([2, null]);
});
