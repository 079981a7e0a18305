import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { paths } from "../../infra/paths.ts";
import { type CommandOptions, finished, outsideOfNpm, succeeded } from "../../infra/run-program.ts";
import { installedTool } from "../../infra/tool-folder.ts";
import packageJson from "../../package.json" with { type: "json" };
import { scriptBelow } from "../support/documentation/console-blocks.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";

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
// @ts-expect-error: the declarations are those of the real functions, where a text is not a number
export const wrong: number = registriesConf;
if (issues.length === 0) console.log(registriesConf);
if (openEnvelopes("{}").ok) console.log(Object.keys(outcomes.$defs).join());
`;

/** The packed package. */
let archive = "";
/** A folder elsewhere, with the packed package installed as a user would. */
const elsewhere = sharedFolder();
let packed: readonly string[] = [];

/** The oldest Node that the package permits, from npm. */
const oldest = packageJson.engines.node.replace(">=", "");
const oldestPackage = `node-${process.platform}-${process.arch}`;
const nodes = [
  { version: process.versions.node, folder: () => dirname(process.execPath) },
  { version: oldest, folder: () => join(elsewhere.path, "oldest/node_modules", oldestPackage, "bin") },
];

const insideRepository = (folder: string) => folder.startsWith(paths.root);
const foreignPath = (process.env.PATH ?? "").split(delimiter).filter((folder) => !insideRepository(folder));
const there = (
  options: Partial<CommandOptions> = {},
  node: string = dirname(process.execPath),
): CommandOptions => ({
  cwd: elsewhere.path,
  env: {
    ...outsideOfNpm(process.env),
    PATH: [node, ...foreignPath].join(delimiter),
    npm_config_loglevel: "error",
  },
  ...options,
});

beforeAll(async () => {
  await succeeded("npm", ["pack", "--pack-destination", elsewhere.path], { cwd: paths.root });
  archive = archiveIn(await readdir(elsewhere.path));
  const { stdout } = await succeeded("tar", ["-tzf", archive], there());
  packed = stdout
    .trim()
    .split("\n")
    .map((line) => line.replace(/^package\//, ""));
  await writeFile(
    join(elsewhere.path, "package.json"),
    '{"name":"stranger","private":true,"type":"module"}\n',
  );
  // Without a registry, as on a disconnected site.
  const offline = ["--offline", "--cache", join(elsewhere.path, "empty-cache"), "--no-audit", "--no-fund"];
  await succeeded("npm", ["install", ...offline, `./${archive}`], there());
  const downloaded = ["--prefix", join(elsewhere.path, "oldest"), "--no-audit", "--no-fund"];
  await succeeded("npm", ["install", ...downloaded, `${oldestPackage}@${oldest}`], there());
}, 300_000);

function archiveIn(names: readonly string[]): string {
  const archive = names.find((name) => name.endsWith(".tgz"));
  if (!archive) throw new Error(`npm pack made no archive, only ${names.join(", ")}`);
  return archive;
}

test("When it is packed, it should contain what runs and what people read, and no sources", () => {
  const known =
    /^(package\.json|README\.md|LICENSE|cli\/[a-z-]+\.js|dist\/npm\/(?:.+(?:\.js|\.d\.ts)|console\/console\.css|licences\.txt|sbom\.cdx\.json)|docs\/reference\/(?:config|coverage|events)\.schema\.json|examples\/(?:fleet|hub)\/.+\.(?:yaml|json|md)|infra\/(?:crds|hub-rbac)\/.+\.yaml|node_modules\/yaml\/.+)$/;
  expect(packed.filter((path) => !known.test(path))).toEqual([]);
  expect(packed).toEqual(
    expect.arrayContaining([
      "cli/hubrelay.js",
      "dist/npm/main.js",
      "dist/npm/api.js",
      "dist/npm/licences.txt",
      "dist/npm/console/console.css",
      "dist/npm/console/console.js",
      "dist/npm/sbom.cdx.json",
      "docs/reference/config.schema.json",
      "docs/reference/coverage.schema.json",
      "docs/reference/events.schema.json",
      "LICENSE",
    ]),
  );
});

describe("the packed package.json", () => {
  test("When it is packed, it should have the dependencies that are not bundled, and the checkout have its own again", async () => {
    const { stdout } = await succeeded("tar", ["-xzOf", archive, "package/package.json"], there());
    const { yaml } = packageJson.dependencies;
    expect(JSON.parse(stdout)).toEqual({
      ...packageJson,
      devDependencies: undefined,
      dependencies: { yaml },
    });
    expect(JSON.parse(await readFile(join(paths.root, "package.json"), "utf8"))).toEqual(packageJson);
  });

  const tool = (name: string, args: readonly string[]) => async () => {
    const folder = await installedTool("package-lint", (line) => process.stdout.write(`${line}\n`));
    const program = join(folder, "node_modules/.bin", name);
    return finished(program, [join(elsewhere.path, archive), ...args], there({ cwd: folder }));
  };
  test.for([
    { name: "publint", run: tool("publint", ["--strict"]) },
    // The package has ES modules only; its schemas are JSON, of which attw expects declarations.
    {
      name: "attw",
      run: tool("attw", [
        ...["--profile", "esm-only"],
        ...[
          "--exclude-entrypoints",
          "./events.schema.json",
          "./coverage.schema.json",
          "./config.schema.json",
        ],
      ]),
    },
  ])("When $name checks it, it should find nothing", async ({ run }) => {
    const { code, stdout, stderr } = await run();
    expect(code, `${stdout}${stderr}`).toBe(0);
  });

  test("When a registry shows it, it should name where the sources, the issues and the pages are", async () => {
    const { stdout } = await succeeded("tar", ["-xOzf", archive, "package/package.json"], there());
    const { repository, bugs, homepage, keywords, author } = JSON.parse(stdout);
    const [, home = "nowhere"] = /^git\+(https:.*)\.git$/.exec(repository.url) ?? [];
    expect({ bugs, homepage }).toEqual({ bugs: `${home}/issues`, homepage: `${home}#readme` });
    expect(keywords).toContain("openshift");
    expect(author).toBe("The hubrelay authors");
  });
});

test("When it is installed, it should take less than 15 MB, with every package that it needs", async () => {
  const { stdout } = await succeeded("du", ["-s", "--bytes", "node_modules"], there());
  expect(Number(stdout.split("\t")[0])).toBeLessThan(15_000_000);
});

describe.for(nodes)("the installed command on Node $version", ({ version, folder }) => {
  const onNode = (options: Partial<CommandOptions> = {}) => there(options, folder());
  const hubrelay = (args: readonly string[], input = "") =>
    finished("npx", ["--no-install", "hubrelay", ...args], onNode({ input }));

  test("When its version is requested, it should print the package's, and that of Node", async () => {
    expect(await hubrelay(["version"])).toEqual({
      code: 0,
      stdout: expect.stringContaining(`hubrelay ${packageJson.version}\nNode.js ${version}\n`),
      stderr: "",
    });
  });

  test("When it renders what it reads from standard input, it should print registries.conf", async () => {
    const { code, stdout, stderr } = await hubrelay(
      ["render", "-f", "-", "--release-version", "4.20"],
      mirrorSet,
    );
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
    await writeFile(join(elsewhere.path, "kubeconfig"), JSON.stringify(kubeConfig));
    const { code, stderr } = await finished(
      "npx",
      ["--no-install", "hubrelay", "doctor", "--account", "other"],
      onNode({ env: { ...onNode().env, HUBRELAY_HUB: "kubeconfig:kubeconfig" } }),
    );
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("no such account: other; known accounts: forwarder, "),
    });
  });

  test("When the console is started, it should serve a page with the style and script of the package", async () => {
    const hub = join(elsewhere.path, "node_modules/hubrelay/examples/hub");
    const env = { ...onNode().env, HUBRELAY_HUB: `directory:${hub}` };
    const running = spawn(
      join(folder(), "node"),
      ["node_modules/hubrelay/dist/npm/main.js", "console", "--port", "0"],
      {
        cwd: elsewhere.path,
        env,
      },
    );
    onTestFinished(() => void running.kill());
    const [, url = ""] = /(http:\S+)/.exec(String((await once(running.stdout, "data"))[0])) ?? [];
    const page = await (await fetch(url)).text();
    const assets = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)];
    expect(assets).toHaveLength(3);
    for (const [, path] of assets) expect((await fetch(`${url}${path}`)).status).toBe(200);
    expect(page).toContain("Needs a person now");
  });

  test("When the whole system runs once, it should write both MachineConfigs of its examples", async () => {
    const { code, stdout, stderr } = await hubrelay(["dev", "--once"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("99-master-generated-registries");
    expect(stdout).toContain("99-worker-generated-registries");
  });
});

test("When docs/install.md is followed, it should leave hubrelay and kubectl's plugin on the PATH", async () => {
  const [pack, ...installation] = scriptBelow(
    await readFile(join(paths.root, "docs/install.md"), "utf8"),
    "The npm package",
  );
  expect(pack).toBe("npm pack");
  const prefix = join(elsewhere.path, "global");
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
  const version = `hubrelay ${packageJson.version}\nNode.js ${process.versions.node}\ntime zone data ${process.versions.tz}\n`;
  expect(stdout).toContain(`${version}${version}status\t`);
});

test("When it is imported, its functions and their types should be available", async () => {
  const folder = join(elsewhere.path, "consumer");
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
  for (const node of nodes) {
    const { stdout } = await succeeded("node", ["use.ts"], there({ cwd: folder }, node.folder()));
    expect(stdout).toContain("mirror.lab/acme");
    expect(stdout).toContain("dev.hubrelay.precache.cluster-failed");
  }
});
