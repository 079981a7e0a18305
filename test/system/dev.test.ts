import { type ChildProcess, spawn } from "node:child_process";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { commandFile } from "../support/processes/command-file.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const examples = fileURLToPath(new URL("../../examples/hub", import.meta.url));

let folder = "";
let running: ChildProcess | undefined;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  running?.kill("SIGKILL");
  running = undefined;
});

const machineConfigPath = (name: string) =>
  join("hub", "machineconfigs.machineconfiguration.openshift.io", `${name}.yaml`);

async function registriesConf(name: string): Promise<string> {
  const text = await readFile(join(folder, machineConfigPath(name)), "utf8");
  const [located] = readManifests(text, name).objects;
  if (!located) throw new Error(`${name} is no manifest`);
  return readMachineConfigFiles(located.object)
    .map(({ contents }) => contents)
    .join("");
}

/** Runs `hubrelay dev` as a person does; `line` waits until a line of its output matches. */
function startDev() {
  const child = spawn(process.execPath, [commandFile, "dev"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  running = child;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    async line(pattern: RegExp): Promise<string> {
      for (;;) {
        const next = await lines.next();
        if (next.done) throw new Error(`the output ended before ${pattern}`);
        if (pattern.test(next.value)) return next.value;
      }
    },
  };
}

describe("hubrelay dev", () => {
  test("When the manifests contain an error, it should report file, line, object, field, value and remedy, and write nothing", async () => {
    const { stdout, exitCode } = await hubrelay(["dev", "--once", "--from", examples], { cwd: folder });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("99-worker-generated-registries: refused: ");
    expect(await readdir(join(folder, "hub"))).not.toContain(
      "machineconfigs.machineconfiguration.openshift.io",
    );
    const reported = stdout.split("\n").find((line) => /^\S+Z error/.test(line));
    expect(reported).toMatch(
      /error +hub\/mistake\.yaml:\d+:7: ImageDigestMirrorSet\/edge-team spec\.imageDigestMirrors\[0\]\.mirrorSourcePolicy "AllowContactingSource": .+ Fix: .+/,
    );
  });

  test("When a person edits a file, it should write the MachineConfigs anew and continue", async () => {
    const filter = (path: string) => !path.endsWith("mistake.yaml");
    await cp(examples, join(folder, "hub"), { recursive: true, filter });
    const { child, line } = startDev();
    await line(/^Watching/);
    const mirrors = join(folder, "hub", "release-mirrors.yaml");
    const edited = (await readFile(mirrors, "utf8")).replace("openshift/release-images", "openshift/images");
    await writeFile(mirrors, edited);
    await line(/^\S+Z written +update MachineConfig\/99-worker-generated-registries/);
    expect(await registriesConf("99-worker-generated-registries")).toContain(
      "registry.hub.example.com:8443/openshift/images",
    );
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
});
