import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandOptions, finished, succeeded } from "../../infra/command.ts";
import { paths } from "../../infra/paths.ts";
import packageJson from "../../package.json" with { type: "json" };

const mirrorSet = `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: acme
spec:
  imageDigestMirrors:
    - source: quay.io/acme
      mirrors: [mirror.lab/acme]
`;

/** A program of a user of the public API, types included. */
const consumer = `import { configureMirrors, type MirrorConfiguration, openEnvelopes, readManifests } from "hubrelay";
import outcomes from "hubrelay/events.schema.json" with { type: "json" };

const { objects, issues } = readManifests(${JSON.stringify(mirrorSet)}, "acme.yaml");
const { registriesConf }: MirrorConfiguration = configureMirrors({ objects: objects.map(({ object }) => object) });
// @ts-expect-error: the declarations are those of the real functions, where a text is no number
export const wrong: number = registriesConf;
if (issues.length === 0) console.log(registriesConf);
if (openEnvelopes("{}").ok) console.log(Object.keys(outcomes.$defs).join());
`;

/** A folder elsewhere, with the packed package installed as a user would, and Node 24 for its programs. */
let elsewhere = "";
let packed: readonly string[] = [];

const insideRepository = (folder: string) => folder.startsWith(paths.root);
const foreignPath = [dirname(process.execPath), ...(process.env.PATH ?? "").split(delimiter)]
  .filter((folder, position) => position === 0 || !insideRepository(folder))
  .join(delimiter);
/** The user's npm gets no setting of the npm that runs this test, and prints no notices. */
const userEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^npm_(config_local_prefix|package_|lifecycle_)/.test(name),
  ),
);
const there = (options: Partial<CommandOptions> = {}): CommandOptions => ({
  cwd: elsewhere,
  env: { ...userEnvironment, PATH: foreignPath, npm_config_loglevel: "error" },
  ...options,
});
const hubrelay = (args: readonly string[], input = "") =>
  finished("npx", ["--no-install", "hubrelay", ...args], there({ input }));

beforeAll(async () => {
  elsewhere = await mkdtemp(join(tmpdir(), "hubrelay-elsewhere-"));
  await succeeded("npm", ["pack", "--pack-destination", elsewhere], { cwd: paths.root });
  const archive = archiveIn(await readdir(elsewhere));
  const { stdout } = await succeeded("tar", ["-tzf", archive], there());
  packed = stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/^package\//, ""));
  await writeFile(join(elsewhere, "package.json"), '{"name":"stranger","private":true,"type":"module"}\n');
  await succeeded("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", `./${archive}`], there());
}, 300_000);
afterAll(() => rm(elsewhere, { recursive: true, force: true }));

function archiveIn(names: readonly string[]): string {
  const archive = names.find((name) => name.endsWith(".tgz"));
  if (!archive) throw new Error(`npm pack made no archive, only ${names.join(", ")}`);
  return archive;
}

test("When it is packed, it should contain what runs and what people read, and no sources", () => {
  const known =
    /^(package\.json|README\.md|LICENSE|cli\/[a-z-]+\.js|dist\/npm\/(?:.+(?:\.js|\.d\.ts)|licences\.txt)|docs\/events\.schema\.json|examples\/(?:fleet|hub)\/.+\.(?:yaml|json|md)|infra\/hub-rbac\/.+\.yaml)$/;
  expect(packed.filter((path) => !known.test(path))).toEqual([]);
  expect(packed).toEqual(
    expect.arrayContaining([
      "cli/hubrelay.js",
      "dist/npm/main.js",
      "dist/npm/api.js",
      "dist/npm/licences.txt",
      "docs/events.schema.json",
      "LICENSE",
    ]),
  );
});

test("When it is installed, it should take less than 15 MB, with every package that it needs", async () => {
  const { stdout } = await succeeded("du", ["-s", "--bytes", "node_modules"], there());
  expect(Number(stdout.split("\t")[0])).toBeLessThan(15_000_000);
});

describe("the installed command", () => {
  test("When its version is requested, it should print the package's", async () => {
    expect(await hubrelay(["--version"])).toEqual({
      code: 0,
      stdout: `${packageJson.version}\n`,
      stderr: "",
    });
  });

  test("When it renders what it reads from standard input, it should print registries.conf", async () => {
    const { code, stdout, stderr } = await hubrelay(["render", "-f", "-"], mirrorSet);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain('location = "mirror.lab/acme"');
  });

  test("When it is used wrongly, it should print the usage and exit with 2", async () => {
    const { code, stdout, stderr } = await hubrelay(["rendr"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/render/);
  });

  test("When it checks permissions, it should know the accounts of a deployment", async () => {
    const hub = { name: "hub", cluster: { server: "https://127.0.0.1:9" } };
    const kubeConfig = {
      clusters: [hub],
      users: [{ name: "jo", user: { token: "one" } }],
      contexts: [{ name: "hub", context: { cluster: "hub", user: "jo" } }],
      "current-context": "hub",
    };
    await writeFile(join(elsewhere, "kubeconfig"), JSON.stringify(kubeConfig));
    const { code, stderr } = await finished(
      "npx",
      ["--no-install", "hubrelay", "doctor", "--account", "other"],
      there({ env: { ...there().env, HUBRELAY_HUB: "kubeconfig:kubeconfig" } }),
    );
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("no such account: other; known accounts: forwarder, "),
    });
  });

  test("When the whole system runs once, it should write both MachineConfigs of its examples", async () => {
    const { code, stdout, stderr } = await hubrelay(["dev", "--once"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("99-master-generated-registries");
    expect(stdout).toContain("99-worker-generated-registries");
  });
});

/** The commands below a heading of the page on installation. */
async function installationBy(heading: string): Promise<readonly string[]> {
  const page = await readFile(join(paths.root, "docs/install.md"), "utf8");
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  return block.trim().split("\n");
}

test("When docs/install.md is followed, it should leave hubrelay and kubectl's plugin on the PATH", async () => {
  const [pack, ...installation] = await installationBy("The npm package");
  expect(pack).toBe("npm pack");
  const prefix = join(elsewhere, "global");
  const env: NodeJS.ProcessEnv = {
    ...there().env,
    npm_config_prefix: prefix,
    npm_config_prefer_offline: "true",
  };
  const path = [join(prefix, "bin"), env.PATH].join(delimiter);
  const script = [...installation, "kubectl-hubrelay version", "kubectl_complete-hubrelay precache st"].join(
    "\n",
  );
  const { stdout } = await succeeded("sh", ["-ec", script], there({ env: { ...env, PATH: path } }));
  const version = `hubrelay ${packageJson.version}\nNode.js ${process.versions.node}\n`;
  expect(stdout).toContain(`${version}${version}status\t`);
});

test("When it is imported, its functions and their types should be available", async () => {
  const folder = join(elsewhere, "consumer");
  await mkdir(folder);
  await writeFile(join(folder, "use.ts"), consumer);
  const types = ["--strict", "--skipLibCheck", "false", "--lib", "es2024,dom", "--types", ""];
  const tsc = ["--noEmit", "--ignoreConfig", "--module", "nodenext", ...types, "use.ts"];
  const typeScript = join(paths.root, "node_modules/.bin/tsc");
  expect(await finished(typeScript, tsc, there({ cwd: folder }))).toEqual({
    code: 0,
    stdout: "",
    stderr: "",
  });
  const { stdout } = await succeeded("node", ["use.ts"], there({ cwd: folder }));
  expect(stdout).toContain("mirror.lab/acme");
  expect(stdout).toContain("dev.hubrelay.precache.cluster-failed");
});
