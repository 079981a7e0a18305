import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { paths } from "../../infra/paths.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { virtualTerminal } from "../support/terminal/virtual-terminal.ts";

const main = join(paths.root, "cli/main.ts");
const fleet = join(paths.root, "examples/fleet");
const hasScript = spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;
const why = hasScript ? undefined : "util-linux's script, which gives a process a terminal, is missing";

/** Runs `hubrelay dev` on a pseudo-terminal of this size. */
async function startOnTerminal(columns: number, rows: number, args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "hubrelay-screen-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const command = [process.execPath, main, "dev", ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${columns} rows ${rows}; exec ${command}`, "/dev/null"], {
    cwd: folder,
    env: { ...process.env, TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const terminal = virtualTerminal(columns, rows);
  child.stdout.on("data", (chunk: Buffer) => terminal.write(chunk));
  const ended = once(child, "close");
  return {
    folder,
    terminal,
    /** Waits until the visible screen matches. */
    shows: (pattern: RegExp) =>
      expect.poll(() => terminal.visible().join("\n"), { timeout: 60_000, interval: 50 }).toMatch(pattern),
    async interrupt() {
      child.stdin.write("\u0003");
      const [exitCode] = await ended;
      return exitCode;
    },
  };
}

test.skipIf(why).for([
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
])(
  "When dev runs on a terminal of $columns × $rows, its screen should show error, fleet and held change, and end clean",
  because(why),
  async ({ columns, rows }) => {
    const { folder, terminal, shows, interrupt } = await startOnTerminal(columns, rows, ["--from", fleet]);
    await shows(/^hubrelay {2}\d\d:\d\d:\d\dZ {2}hub, a copy of/m);
    await shows(/^error {2}ImageDigestMirrorSet\/storage-team spec/m);
    await shows(/^fleet\/fleet-4-20 {2}Precaching in progress for 11 clusters$/m);
    await shows(/^ {2}bergen-1 +pulling +\d+s +\d+\/190$/m);
    await shows(/99-worker-generated-registries: held$/m);
    await shows(/^Watching hub; edit a file there, or press Ctrl-C to end\.$/m);
    expect(terminal.isCursorVisible()).toBe(false);

    const mistake = join(folder, "hub/mistake.yaml");
    await writeFile(mistake, (await readFile(mistake, "utf8")).replace("csi-driver:v1.4", "csi-driver"));
    await shows(/hub\/mistake\.yaml {2}fixed$/m);
    expect(terminal.visible().join("\n")).not.toMatch(/^error/m);

    expect(await interrupt()).toBe(0);
    const last = terminal.visible();
    expect(last.filter(Boolean).at(-1)).toBe("Ended.");
    expect(last.join("\n")).not.toContain("^C");
    expect(terminal.isCursorVisible()).toBe(true);
    // Nothing was drawn twice: no frame has scrolled out of sight.
    expect(terminal.scrolledOut()).toBe(0);
  },
);

test.skipIf(why)(
  "When a simulated fleet is interrupted, the terminal should be left clean",
  because(why),
  async () => {
    const { terminal, shows, interrupt } = await startOnTerminal(80, 24, ["--simulate", "20"]);
    await shows(/^hubrelay .* 20 simulated clusters/m);
    await shows(/^default\/simulated {2}Precaching in progress/m);
    expect(terminal.isCursorVisible()).toBe(false);
    // As a shell sees it: 128 and the number of SIGINT.
    expect(await interrupt()).toBe(130);
    expect(terminal.visible().join("\n")).not.toContain("^C");
    expect(terminal.isCursorVisible()).toBe(true);
  },
);
