import { spawn } from "node:child_process";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { paths } from "../../infra/paths.ts";
import packageJson from "../../package.json" with { type: "json" };
import { commandFile } from "../support/processes/command-file.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { environmentWith } from "./cli.ts";

const launcher = join(paths.root, "cli/hubrelay.js");
const older =
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })";

/** Creates a checkout whose command is the one that other tests start as well, which starts faster than the sources. */
async function launcherOfCheckout(): Promise<string> {
  const checkout = await temporaryFolder();
  const file = join(checkout, "cli/hubrelay.js");
  await mkdir(join(checkout, "cli"));
  await copyFile(launcher, file);
  await writeFile(
    join(checkout, "cli/main.ts"),
    `await import(${JSON.stringify(pathToFileURL(commandFile))});\n`,
  );
  await symlink(join(paths.root, "node_modules"), join(checkout, "node_modules"));
  await writeFile(join(checkout, "package.json"), '{ "type": "module" }\n');
  return file;
}

/** Starts the launcher as a Node that is too old for the sources, which starts another process. */
function startLauncher(args: readonly string[], hub: string, file: string) {
  const started = spawn(process.execPath, ["--import", `data:text/javascript,${older}`, file, ...args], {
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
  { signal: "SIGHUP", end: [null, "SIGHUP"] },
] as const)(
  "When $signal ends the launcher on an older Node, it should end hubrelay as well",
  async ({ signal, end: expected }) => {
    const { started, end } = startLauncher(
      ["console", "--port", "0"],
      `directory:${await temporaryFolder()}`,
      await launcherOfCheckout(),
    );
    for await (const chunk of started.stdout) if (String(chunk).includes("Press Ctrl-C")) break;
    started.kill(signal);
    expect(await end).toEqual(expected);
  },
);

test("When hubrelay fails under the launcher on an older Node, it should have its exit code", async () => {
  const { started, end } = startLauncher(["verify"], "nonsense", await launcherOfCheckout());
  expect(await text(started.stderr)).toContain("HUBRELAY_HUB has no adapter");
  expect(await end).toEqual([2, null]);
});

/** Prints the address of each module that is loaded. */
const printingLoads =
  "import { registerHooks } from 'node:module'; registerHooks({ load: (url, about, next) => (console.error(url), next(url, about)) })";

test("When only its version is asked for, hubrelay should not load the parser of YAML, which most commands need", async () => {
  const started = spawn(
    process.execPath,
    ["--import", `data:text/javascript,${printingLoads}`, launcher, "--version"],
    { env: environmentWith({}) },
  );
  const [loaded, printed] = await Promise.all([text(started.stderr), text(started.stdout)]);
  expect(printed).toBe(`${packageJson.version}\n`);
  expect(loaded).toContain("cli/commands/version.ts");
  expect(loaded).not.toContain("node_modules/yaml");
});
