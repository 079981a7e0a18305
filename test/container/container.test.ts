import { copyFile, glob, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { type CommandOptions, finished, succeeded } from "../../infra/command.ts";
import { sbomInImage } from "../../infra/image/root.ts";
import { paths } from "../../infra/paths.ts";
import packageJson from "../../package.json" with { type: "json" };
import { scriptBelow } from "../support/documentation/console-blocks.ts";
import { skipBecause } from "../support/setup/skipped-tests.ts";

const archive = join(paths.container, `hubrelay-${packageJson.version}.tar`);
const descriptor = z.object({ digest: z.string(), size: z.number() });
const index = z.object({
  manifests: z.array(
    z.object({ digest: z.string(), platform: z.object({ architecture: z.string() }).optional() }),
  ),
});
const manifest = z.object({ config: descriptor, layers: z.array(descriptor) });
const imageConfig = z.object({
  architecture: z.string(),
  created: z.string(),
  config: z.object({ User: z.string(), Labels: z.record(z.string(), z.string()) }),
});
const sbom = z.object({
  components: z.array(z.object({ name: z.string(), version: z.string(), purl: z.string() })),
});
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

const buildImage = () => succeeded(process.execPath, ["infra/image/main.ts"], { cwd: paths.root });
async function digest(): Promise<string | undefined> {
  return index.parse(JSON.parse(await inArchive("index.json"))).manifests[0]?.digest;
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

test("When the console runs, the image should contain what its pages load", async () => {
  const visit = `
    const { spawn } = require("node:child_process");
    const environment = { ...process.env, HUBRELAY_HUB: "directory:/opt" };
    const child = spawn("/usr/bin/node", ["/opt/hubrelay/hubrelay.mjs", "console", "--port", "0"], { env: environment });
    child.stderr.pipe(process.stderr);
    child.stdout.once("data", async (text) => {
      const [url] = /http:\\S+/.exec(text);
      const loaded = (await (await fetch(url)).text()).match(/\\/assets\\/[^"]+/g);
      for (const path of loaded) {
        const response = await fetch(url + path);
        const { length } = await response.text();
        console.log(response.status, length > 100, path.replace(/.*-/, ""));
      }
      child.kill();
    });`;
  const { stdout } = await inImage(["/usr/bin/node", "-e", visit]);
  expect(stdout.trim().split("\n")).toEqual([
    "200 true console.css",
    "200 true theme.js",
    "200 true console.js",
  ]);
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

test("When dev is called, it should say in one line that the image has no queue server, and where to run it", async () => {
  const { code, stdout, stderr } = await inImage([...hubrelay, "dev", "--simulate", "1"], { run: finished });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^hubrelay: this installation has no embedded queue server .*npm package.*\n/);
});

/** The parts of the archive's image for one architecture. */
async function imageFor(architecture: string) {
  const blob = async (digest: string) => JSON.parse(await inArchive(join("blobs", digest.replace(":", "/"))));
  const [all] = index.parse(JSON.parse(await inArchive("index.json"))).manifests;
  const { manifests } = index.parse(await blob(all?.digest ?? ""));
  const wanted = manifests.find(({ platform }) => platform?.architecture === architecture);
  const { config, layers } = manifest.parse(await blob(wanted?.digest ?? ""));
  expect(layers).toHaveLength(1);
  const [layer] = layers;
  const unpacked = join(storage, architecture);
  await mkdir(unpacked, { recursive: true });
  const path = join("blobs", layer?.digest.replace(":", "/") ?? "");
  const script = 'tar -xOf "$1" "$2" | tar -xz -C "$3"';
  await succeeded("sh", ["-ec", script, "sh", archive, path, unpacked], { cwd: storage });
  const { components } = sbom.parse(JSON.parse(await readFile(join(unpacked, sbomInImage), "utf8")));
  return {
    config: imageConfig.parse(await blob(config.digest)),
    bytes: layer?.size ?? Number.POSITIVE_INFINITY,
    unpacked,
    components,
  };
}
const inArchive = async (path: string) =>
  (await succeeded("tar", ["-xOf", archive, path], { cwd: paths.root })).stdout;

describe.for([
  { architecture: "amd64", machine: 62, loader: "lib64/ld-linux-x86-64.so.2" },
  { architecture: "arm64", machine: 183, loader: "lib/ld-linux-aarch64.so.1" },
])("the image for $architecture", ({ architecture, machine, loader }) => {
  let image: Awaited<ReturnType<typeof imageFor>>;
  beforeAll(async () => {
    image = await imageFor(architecture);
  });

  test("When a registry or a scanner shows it, its labels should say what it is, of which commit and licence", async () => {
    const { stdout: commit } = await succeeded("git", ["rev-parse", "HEAD"], { cwd: paths.root });
    const { stdout: time } = await succeeded("git", ["show", "-s", "--format=%ct"], { cwd: paths.root });
    const prefix = "org.opencontainers.image";
    expect(image.config.config.Labels).toMatchObject({
      [`${prefix}.title`]: "hubrelay",
      [`${prefix}.version`]: packageJson.version,
      [`${prefix}.revision`]: expect.stringMatching(new RegExp(`^${commit.trim()}(?:-dirty)?$`)),
      [`${prefix}.source`]: expect.stringMatching(/^https:.*hubrelay$/),
      [`${prefix}.licenses`]: "Apache-2.0",
    });
    expect(Date.parse(image.config.created)).toBe(Number(time) * 1000);
  });

  test("When it is run, it should be an unprivileged user, and programs of its architecture", async () => {
    expect(image.config).toMatchObject({ architecture, config: { User: "65532:65532" } });
    const files = await Array.fromAsync(glob("**/{bin/node,*.so.*}", { cwd: image.unpacked }));
    expect(files).toEqual(expect.arrayContaining(["usr/bin/node", loader]));
    for (const file of files) {
      const content = await readFile(join(image.unpacked, file));
      expect([file, content.readUInt16LE(18)]).toEqual([file, machine]);
    }
  });

  test("When it is pulled, it should be less than 50 MB", () => {
    expect(image.bytes).toBeLessThan(50_000_000);
  });

  test("When its components are listed, the C library and Node should have their versions, and no queue server be there", async () => {
    const status = await readFile(join(image.unpacked, "var/lib/dpkg/status.d/libc6"), "utf8");
    const [, version] = /^Version: (.*)$/m.exec(status) ?? [];
    const purl = expect.stringMatching(new RegExp(`^pkg:deb/debian/libc6@.*arch=${architecture}$`));
    expect(image.components).toContainEqual({ name: "libc6", version, purl });
    expect(image.components).toContainEqual(
      expect.objectContaining({ name: "node", version: process.versions.node }),
    );
    expect(image.components.map(({ name }) => name)).toContain("undici");
    expect(image.components.map(({ name }) => name)).not.toContain("fauxqs");
  });

  test("When its licences are read, those of the C library and of each bundled package should be there", async () => {
    const read = (path: string) => readFile(join(image.unpacked, "usr/share/doc", path), "utf8");
    expect(await read("libc6/copyright")).toContain("LGPL");
    expect(await read("hubrelay/licences.txt")).toContain("undici ");
  });
});

test("When docs/install.md is followed, hubrelay should run in the image and see the current folder", async ({
  skip,
  task,
}) => {
  const page = await readFile(join(paths.root, "docs/install.md"), "utf8");
  const [build, load, alias] = scriptBelow(page, "The container image");
  expect(build).toBe("npm ci && npm run image");
  const configuration = join(storage, "storage.conf");
  const [root, run] = [join(storage, "podman"), join(storage, "podman-run")];
  await writeFile(configuration, `[storage]\ndriver = "vfs"\ngraphroot = "${root}"\nrunroot = "${run}"\n`);
  const policies = join(storage, ".config/containers");
  await mkdir(policies, { recursive: true });
  await copyFile(join(paths.container, "policy.json"), join(policies, "policy.json"));
  const inShell = (...lines: readonly (string | undefined)[]) =>
    finished("bash", ["-c", ["shopt -s expand_aliases", ...lines].join("\n")], {
      cwd: paths.root,
      env: { ...process.env, HOME: storage, CONTAINERS_STORAGE_CONF: configuration },
    });
  expect(await inShell(load)).toMatchObject({ code: 0, stdout: expect.stringContaining("Loaded image") });
  const { code, stdout, stderr } = await inShell(alias, "hubrelay validate -f examples/hub/mistake.yaml");
  // podman ends with 125 to 127 when it could not start the container, which needs rights that a sandbox may lack.
  if (code !== null && code >= 125)
    skipBecause({ skip, task }, `podman starts no container here: ${stderr.trim().split("\n").at(-1)}`);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("Remove the tag"),
  });
});

test("When it is built again from the same sources, it should be the same image for every architecture", async () => {
  const before = await digest();
  await buildImage();
  expect(before).toMatch(/^sha256:/);
  expect(await digest()).toBe(before);
});
