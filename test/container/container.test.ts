import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { type CommandOptions, finished, succeeded } from "../../infra/command.ts";
import { paths } from "../../infra/paths.ts";
import packageJson from "../../package.json" with { type: "json" };

const archive = join(paths.container, `hubrelay-${packageJson.version}.tar`);
const index = z.object({ manifests: z.array(z.object({ digest: z.string() })) });
const inspected = z.object({
  OCIv1: z.object({
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Entrypoint: z.array(z.string()),
      Cmd: z.array(z.string()),
    }),
  }),
});

let storage = "";
let container = "";

const environment = { ...process.env, STORAGE_DRIVER: "vfs", BUILDAH_ISOLATION: "chroot" };
const buildah = (
  args: readonly string[],
  { run = succeeded, ...options }: Partial<CommandOptions> & { run?: typeof finished } = {},
) =>
  run("buildah", ["--root", join(storage, "root"), "--runroot", join(storage, "run"), ...args], {
    cwd: storage,
    env: environment,
    ...options,
  });
/** Runs a command in the image; by default as the user that the image names. */
const inImage = (
  command: readonly string[],
  { user, ...options }: Partial<CommandOptions> & { run?: typeof finished; user?: string } = {},
) => buildah(["run", ...(user ? ["--user", user] : []), container, "--", ...command], options);
const hubrelay = ["/usr/bin/node", "/opt/hubrelay/hubrelay.mjs"];
const evaluated = async (expression: string) =>
  (await inImage(["/usr/bin/node", "-p", expression])).stdout.trim();

const buildImage = () => succeeded(process.execPath, ["infra/container.ts"], { cwd: paths.root });
async function digest(): Promise<string | undefined> {
  const { stdout } = await succeeded("tar", ["-xOf", archive, "index.json"], { cwd: paths.root });
  return index.parse(JSON.parse(stdout)).manifests[0]?.digest;
}

beforeAll(async () => {
  storage = await mkdtemp(join(tmpdir(), "hubrelay-container-"));
  await buildImage();
  const policy = join(paths.container, "policy.json");
  container = (await buildah(["from", "--signature-policy", policy, `oci-archive:${archive}`])).stdout.trim();
}, 300_000);
afterAll(() => rm(storage, { recursive: true, force: true }));

test("When the image is run without arguments, it should start the command as an unprivileged user", async () => {
  const { stdout } = await buildah(["inspect", container]);
  const { config } = inspected.parse(JSON.parse(stdout)).OCIv1;
  expect(config).toMatchObject({ User: "65532:65532", Entrypoint: hubrelay, Cmd: ["--help"] });
  expect(config.Env).toContain("HOME=/");
});

test("When the command is run in the image, it should print its version as uid 65532", async () => {
  expect((await inImage([...hubrelay, "--version"])).stdout).toBe(`${packageJson.version}\n`);
  const user = await evaluated("[process.getuid(), process.getgid(), process.version].join()");
  expect(user).toBe(`65532,65532,${process.version}`);
});

test("When a cluster chooses the user, it should still run", async () => {
  const { stdout } = await inImage([...hubrelay, "--version"], { user: "1000680000:0" });
  expect(stdout).toBe(`${packageJson.version}\n`);
});

test.for(["forward", "work", "resync", "validate", "render", "diff", "convert", "explain"])(
  "When %s is called, the image should contain everything that it loads",
  async (command) => {
    const { stdout, code } = await inImage([...hubrelay, command, "--help"], { run: finished });
    expect(code).toBe(0);
    expect(stdout).toContain(`hubrelay ${command}`);
  },
);

test("When settings are missing, the processes should load everything they need and name the missing setting", async () => {
  for (const command of ["forward", "work", "resync"]) {
    const { code, stderr } = await inImage([...hubrelay, command], { run: finished });
    expect(stderr).toMatch(/^hubrelay: HUBRELAY_\w+ is not set/m);
    expect(code).toBe(2);
  }
});

test("When manifests come on standard input, they should be read and validated", async () => {
  const input = await readFile(join(paths.root, "examples/hub/mistake.yaml"), "utf8");
  const { stderr, code } = await inImage([...hubrelay, "validate", "-f", "-"], { input, run: finished });
  expect(stderr).toContain("Remove the tag");
  expect(code).toBe(1);
});

test("When it resolves a host name, it should have what the lookup needs", async () => {
  const lookup = 'require("node:dns").lookup("localhost", (error, address) => console.log(error ?? address))';
  const { stdout } = await inImage(["/usr/bin/node", "-e", lookup]);
  expect(stdout.trim()).toMatch(/^(?:127\.0\.0\.1|::1)$/);
});

test("When an attacker is inside, there should be nothing to use but Node, and nothing to change", async () => {
  expect(await evaluated('require("node:fs").readdirSync("/usr/bin").join()')).toBe("node");
  const attempt =
    'try { require("node:fs").writeFileSync("/opt/hubrelay/hubrelay.mjs", "") } catch ({ code }) { code }';
  expect(await evaluated(attempt)).toBe("EACCES");
});

test("When it is built again from the same sources, it should be the same image", async () => {
  const before = await digest();
  await buildImage();
  expect(before).toMatch(/^sha256:/);
  expect(await digest()).toBe(before);
});
