import { generateKeyPairSync } from "node:crypto";
import { chmod, copyFile, glob, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { sbomInImage } from "../../infra/image/root.ts";
import { paths } from "../../infra/paths.ts";
import { artefacts } from "../../infra/release/artefacts.ts";
import { publicKeyOf, writeImagePayload, writeImageSignature } from "../../infra/release/signing.ts";
import { finished, succeeded } from "../../infra/run-program.ts";
import packageJson from "../../package.json" with { type: "json" };
import { buildImage, builtImage, podmanIn, whyNotStarted } from "../support/containers/podman.ts";
import { scriptBelow } from "../support/documentation/console-blocks.ts";
import { skipBecause } from "../support/setup/skipped-tests.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";

const { archive } = builtImage;
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
  config: z.object({
    User: z.string(),
    Env: z.array(z.string()),
    Entrypoint: z.array(z.string()),
    Cmd: z.array(z.string()),
    Labels: z.record(z.string(), z.string()),
  }),
});
const sbom = z.object({
  components: z.array(z.object({ name: z.string(), version: z.string(), purl: z.string() })),
});
const storage = sharedFolder();
/** The image for this machine, with what every runtime adds to its files. */
let image: Awaited<ReturnType<typeof imageFor>>;

/**
 * Runs a command with only the image's files and environment; by default as the user that the image names. `buildah run`
 * does the same, but passes output on through a pipe of its own, and loses it on a busy machine.
 */
async function inImage(
  command: readonly string[],
  {
    run = succeeded,
    user = image.config.config.User,
    input,
  }: Readonly<{ run?: typeof finished; user?: string; input?: string }> = {},
) {
  const start = `
    root=$1 user=$2
    shift 2
    mount --rbind /proc "$root/proc"
    mount --rbind /dev "$root/dev"
    exec chroot --userspec="$user" "$root" "$@"`;
  const args = ["--mount", "bash", "-ec", start, "bash", image.unpacked, user, ...command];
  const env = Object.fromEntries(image.config.config.Env.map((variable) => variable.split("=", 2)));
  return run("/usr/bin/unshare", args, { cwd: storage.path, env, ...(input === undefined ? {} : { input }) });
}
const hubrelay = ["/usr/bin/node", "/opt/hubrelay/hubrelay.mjs"];
const evaluated = async (expression: string) =>
  (await inImage(["/usr/bin/node", "-p", expression])).stdout.trim();

async function digest(): Promise<string | undefined> {
  return index.parse(JSON.parse(await inArchive("index.json"))).manifests[0]?.digest;
}

beforeAll(async () => {
  await buildImage();
  image = await imageFor(process.arch === "arm64" ? "arm64" : "amd64");
  for (const folder of ["proc", "dev", "etc"]) await mkdir(join(image.unpacked, folder), { recursive: true });
  await writeFile(join(image.unpacked, "etc/hosts"), "127.0.0.1 localhost\n");
}, 300_000);

test("When the image is run without arguments, it should start the command as an unprivileged user", () => {
  const { config } = image.config;
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

test.for(["forward", "work", "resync", "run", "validate", "render", "diff", "convert", "explain"])(
  "When %s is called, the image should contain everything that it loads",
  async (command) => {
    const { stdout, code } = await inImage([...hubrelay, command, "--help"], { run: finished });
    expect(code).toBe(0);
    expect(stdout).toContain(`hubrelay ${command}`);
  },
);

test("When the console runs, the image should contain what its pages load", async () => {
  const folder = join(image.unpacked, "hub");
  await mkdir(folder);
  onTestFinished(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o777); // the index of a folder is beside its manifests
  const visit = `
    const { spawn } = require("node:child_process");
    const environment = { ...process.env, HUBRELAY_HUB: "directory:/hub" };
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
  expect(stderr).toContain("Give every rule of this source one mirrorSourcePolicy");
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

/** The parts of the archive's image for one architecture. */
async function imageFor(architecture: string) {
  const blob = async (digest: string) => JSON.parse(await inArchive(join("blobs", digest.replace(":", "/"))));
  const [all] = index.parse(JSON.parse(await inArchive("index.json"))).manifests;
  const { manifests } = index.parse(await blob(all?.digest ?? ""));
  const wanted = manifests.find(({ platform }) => platform?.architecture === architecture);
  const { config, layers } = manifest.parse(await blob(wanted?.digest ?? ""));
  expect(layers).toHaveLength(1);
  const [layer] = layers;
  const unpacked = await mkdtemp(join(storage.path, `${architecture}-`));
  await chmod(unpacked, 0o755);
  const path = join("blobs", layer?.digest.replace(":", "/") ?? "");
  const script = 'tar -xOf "$1" "$2" | tar -xz -C "$3"';
  await succeeded("sh", ["-ec", script, "sh", archive, path, unpacked], { cwd: storage.path });
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

  test("When its components are listed, the C library and Node should have their versions", async () => {
    const status = await readFile(join(image.unpacked, "var/lib/dpkg/status.d/libc6"), "utf8");
    const [, version] = /^Version: (.*)$/m.exec(status) ?? [];
    const purl = expect.stringMatching(new RegExp(`^pkg:deb/debian/libc6@.*arch=${architecture}$`));
    expect(image.components).toContainEqual({ name: "libc6", version, purl });
    expect(image.components).toContainEqual(
      expect.objectContaining({ name: "node", version: process.versions.node }),
    );
    expect(image.components.map(({ name }) => name)).toEqual(expect.arrayContaining(["undici", "fauxqs"]));
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
  const podman = await podmanIn(storage.path);
  const loaded = await podman.run(load ?? "");
  expect(loaded).toMatchObject({ code: 0, stdout: expect.stringContaining("Loaded image") });
  const command = ["shopt -s expand_aliases", alias, "hubrelay validate -f examples/hub/mistake.yaml"];
  const result = await podman.run(command.join("\n"));
  const why = whyNotStarted(result);
  if (why) skipBecause({ skip, task }, why);
  const { code, stdout, stderr } = result;
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("Give every rule of this source one mirrorSourcePolicy"),
  });
});

describe("its signature, as docs/how-to/verify-a-release.md verifies it", () => {
  /** Signs the image like a release, and runs the page's commands for it. */
  async function verified(change: (folder: string) => Promise<unknown>) {
    const folder = await mkdtemp(join(storage.path, "signed-"));
    await copyFile(archive, join(folder, artefacts.image));
    const { privateKey } = generateKeyPairSync("ed25519");
    await writeFile(join(folder, artefacts.publicKey), publicKeyOf(privateKey));
    await writeImageSignature(folder, await writeImagePayload(folder), privateKey);
    await change(folder);
    const page = await readFile(join(paths.root, "docs/how-to/verify-a-release.md"), "utf8");
    const commands = scriptBelow(page, "The image in your registry is the one that was built");
    expect(commands.length).toBeGreaterThan(2);
    return finished("bash", ["-euo", "pipefail", "-c", commands.join("\n")], { cwd: folder });
  }

  test("When the image is the one that was signed, its digest should be the one of the signature", async () => {
    const { code, stdout } = await verified(async () => undefined);
    expect(code).toBe(0);
    expect(stdout).toContain("Signature Verified Successfully");
    expect(stdout).toContain(`${await digest()}\n`);
    expect(stdout).toContain(`\n${(await digest())?.replace("sha256:", "")}  -`);
  });

  test("When another digest was put into what is signed, the verification should fail", async () => {
    const { code, stdout } = await verified(async (folder) => {
      const file = join(folder, artefacts.imagePayload);
      await writeFile(file, (await readFile(file, "utf8")).replace(/sha256:./, "sha256:_"));
    });
    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.not.stringContaining("Successfully") });
  });
});

test("When it is built again from the same sources, it should be the same image for every architecture", async () => {
  const before = await digest();
  await buildImage();
  expect(before).toMatch(/^sha256:/);
  expect(await digest()).toBe(before);
});
