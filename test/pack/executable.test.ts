import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { paths } from "../../infra/paths.ts";
import { finished, succeeded } from "../../infra/run-program.ts";
import packageJson from "../../package.json" with { type: "json" };
import { sharedFolder } from "../support/setup/temporary-folder.ts";

/** A folder of a machine without Node and without a checkout, with the one file and manifests. */
const elsewhere = sharedFolder();
const program = () => join(elsewhere.path, "hubrelay");
const environment = (cache = join(elsewhere.path, "cache")) => ({
  PATH: "/usr/bin:/bin",
  HOME: elsewhere.path,
  XDG_CACHE_HOME: cache,
});
const hubrelay = (args: readonly string[], cache?: string) =>
  finished(program(), args, { cwd: elsewhere.path, env: environment(cache) });

beforeAll(async () => {
  await succeeded(process.execPath, ["infra/executable/main.ts"], { cwd: paths.root });
  await copyFile(join(paths.executable, "hubrelay"), program());
  await cp(join(paths.root, "examples/hub"), join(elsewhere.path, "manifests"), { recursive: true });
}, 300_000);

test("When its version is requested, it should start without Node, and print nothing else", async () => {
  expect(await hubrelay(["version"])).toEqual({
    code: 0,
    stdout: `hubrelay ${packageJson.version}\nNode.js ${process.versions.node}\ntime zone data ${process.versions.tz}\n`,
    stderr: "",
  });
});

test("When it may write no file, it should check manifests nevertheless", async () => {
  const { code, stderr } = await hubrelay(["validate", "-f", "manifests"], "/dev/null/cache");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining("manifests/mistake.yaml:13:7: error: "),
  });
});

test("When it explains an image, it should name the mirrors that nodes know", async () => {
  const { stdout } = await hubrelay(["explain", "registry.access.redhat.com/ubi9:1", "-f", "manifests"]);
  expect(stdout).toContain("registry.hub.example.com:8443/cache/ubi9:1");
});

test("When several are started at once for the first time, each should find the files of the package", async () => {
  const cache = join(elsewhere.path, "new-cache");
  const runs = await Promise.all(
    ["one", "two", "three"].map((folder) => hubrelay(["dev", "--once", "--hub", folder], cache)),
  );
  for (const { code, stdout } of runs) {
    expect(code).toBe(0);
    expect(stdout).toContain("99-worker-generated-registries");
  }
  const folders = await readdir(join(cache, "hubrelay"));
  expect(folders.filter((name) => name !== "compiled")).toEqual([
    expect.stringMatching(new RegExp(`^${packageJson.version}-[0-9a-f]{16}$`)),
  ]);
});

test("When the console is started, it should serve a page with its style and scripts", async () => {
  const running = spawn(program(), ["console", "--port", "0"], {
    cwd: elsewhere.path,
    env: { ...environment(), HUBRELAY_HUB: `directory:${join(elsewhere.path, "manifests")}` },
  });
  // It writes to its cache until it has ended.
  onTestFinished(async () => {
    const ended = once(running, "exit");
    running.kill();
    await ended;
  });
  const [, url = ""] = /(http:\S+)/.exec(String((await once(running.stdout, "data"))[0])) ?? [];
  const page = await (await fetch(url)).text();
  const assets = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)];
  expect(assets).toHaveLength(3);
  for (const [, path] of assets) expect((await fetch(`${url}${path}`)).status).toBe(200);
});
