import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const examples = fileURLToPath(new URL("../../examples/hub", import.meta.url));

let folder = "";
beforeEach(async () => {
  folder = await temporaryFolder();
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
      /error +hub\/mistake\.yaml:\d+:7: ImageDigestMirrorSet\/storage-team spec\.imageDigestMirrors\[0\]\.mirrorSourcePolicy "NeverContactSource": .+ Fix: .+/,
    );
  });

  test("When a person edits a file, it should write the MachineConfigs anew and continue", async () => {
    const filter = (path: string) => !path.endsWith("mistake.yaml");
    await cp(examples, join(folder, "hub"), { recursive: true, filter });
    const running = hubrelay(["dev", "--no-console"], { cwd: folder });
    const written = () => registriesConf("99-worker-generated-registries").catch(() => "");
    await expect.poll(written, { timeout: 30_000 }).toContain("openshift/release-images");
    const mirrors = join(folder, "hub", "release-mirrors.yaml");
    const edited = (await readFile(mirrors, "utf8")).replace("openshift/release-images", "openshift/images");
    await writeFile(mirrors, edited);
    const image = "registry.hub.example.com:8443/openshift/images";
    await expect.poll(written, { timeout: 30_000 }).toContain(image);
    // The command has added it last.
    process.listeners("SIGTERM").at(-1)?.("SIGTERM");
    const { stdout, exitCode } = await running;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Watching hub; /m);
    expect(stdout).toMatch(/^\S+Z written +update MachineConfig\/99-worker-generated-registries/m);
  });
});
