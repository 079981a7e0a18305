import { spawnSync } from "node:child_process";
import { cp, glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { paths } from "../../infra/paths.ts";
import { finished, succeeded } from "../../infra/run-program.ts";
import { type CiMachine, ciMachine } from "../support/ci/ci-machine.ts";
import { runAction } from "../support/ci/composite-action.ts";
import { readComponent } from "../support/ci/gitlab-component.ts";
import { listenOnFreePort } from "../support/servers/free-port.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "../system/cli-in-process.ts";

/*
 * What CI systems and their tools say about the output, the workflows, the action and the component: actionlint checks the
 * workflows, and the OASIS schema, which gosec's module contains, the SARIF log. These and gh's jq come from the Go proxy.
 */

const actionlint = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const gojqModule = "github.com/itchyny/gojq/cmd/gojq@v0.12.17";
const gosec = "github.com/securego/gosec/v2@v2.30.0";
const examples = join(paths.root, "examples/ci");

function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8", env });
  return { status, stdout, stderr };
}

const folder = sharedFolder();

test("When actionlint reads the workflows and the action, it should find nothing", async () => {
  const own = await Array.fromAsync(glob(join(paths.root, ".github/workflows/*.yaml")));
  expect(own.length).toBeGreaterThan(2);
  // actionlint compares the use of an action of the same repository with its inputs, but does not read its steps.
  const repository = join(folder.path, "repository");
  const workflow = (name: string) => join(repository, ".github/workflows", name);
  await mkdir(join(repository, ".github/workflows"), { recursive: true });
  await mkdir(join(repository, ".git"));
  await cp(join(paths.root, "action.yml"), join(repository, "action.yml"));
  const example = await readFile(join(examples, "github-workflow.yaml"), "utf8");
  await writeFile(workflow("use.yaml"), example.replace(/your-organization\/hubrelay@\S+/, "./"));
  const { inputs, runs } = parse(await readFile(join(paths.root, "action.yml"), "utf8"));
  const typed = Object.keys(inputs).map((name) => [name, { type: "string" }]);
  const steps = {
    on: { workflow_call: { inputs: Object.fromEntries(typed) } },
    jobs: { action: { "runs-on": "ubuntu-latest", steps: runs.steps } },
  };
  await writeFile(workflow("steps.yaml"), stringify(steps));
  const read = ["use.yaml", "steps.yaml"].map(workflow);
  const result = run("go", ["run", actionlint, ...read, ...own], repository);
  expect(result).toEqual({ status: 0, stdout: "", stderr: expect.not.stringContaining("error") });
});

describe("the SARIF log", () => {
  let isValid: (log: unknown) => string;
  beforeAll(async () => {
    const { stdout } = run("go", ["mod", "download", "-json", gosec], folder.path);
    const schema = join(JSON.parse(stdout).Dir, "report/sarif/testdata/sarif-schema-2.1.0.json");
    const { id, $schema, ...rest } = JSON.parse(await readFile(schema, "utf8"));
    expect([id, $schema]).toEqual([
      "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
      "http://json-schema.org/draft-04/schema#", // as draft 7 it means the same
    ]);
    const ajv = new Ajv({ strict: false, allErrors: true });
    formats.default(ajv);
    const validate = ajv.compile(rest);
    isValid = (log) => (validate(log) ? "" : ajv.errorsText(validate.errors));
  });

  test.for([["examples/hub"], ["test/corpus"], ["test/corpus/precache.yaml"]])(
    "When %s is validated, it should be valid by the OASIS schema",
    async ([manifests = ""]) => {
      const { stdout } = await hubrelay(["validate", "-f", join(paths.root, manifests), "-o", "sarif"]);
      const log = JSON.parse(stdout);
      expect(isValid(log)).toBe("");
      expect(log.runs[0].results.length).toBeGreaterThan(0);
      expect(isValid({ ...log, version: "2.0.0" })).not.toBe("");
    },
  );

  test("When nothing is wrong, it should be valid without results", async () => {
    const { stdout } = await hubrelay(["validate", "-f", "-", "--allow-empty", "-o", "sarif"]);
    expect(isValid(JSON.parse(stdout))).toBe("");
  });
});

/** Lists comments of a pull request, filters them with the engine of gh's --jq, and keeps what is written. */
const gh = `
while [ $# -gt 0 ]; do
  case "$1" in
    --jq) query=$2; shift ;;
    --method) method=$2; shift ;;
    --field) cp "\${2#body=@}" "$COMMENTS.$method"; shift ;;
  esac
  shift
done
if [ -n "$query" ]; then "$GOJQ" --raw-output "$query" "$COMMENTS"; fi`;

/** Stands in for kustomize: prints the files of a folder. */
/** It names no origins, so that it is called again without them. */
const kustomize =
  '[ ! -e "$2/kustomization.yaml" ] || exit 1; for file in "$2"/*.yaml; do echo ---; cat "$file"; done';

type Comment = Readonly<{ id: number; user: Readonly<{ login: string }>; body: string }>;

describe("the action for GitHub", () => {
  let gojq = "";
  beforeAll(async () => {
    gojq = join(folder.path, "gojq");
    const env = { ...process.env, GOBIN: folder.path };
    expect(run("go", ["install", gojqModule], folder.path, env)).toMatchObject({ status: 0 });
  });

  const isOfRepository = `inputs.comment == 'true' && github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository`;

  async function onPullRequest(
    comments: readonly Comment[],
    values: Readonly<Record<string, string | boolean>> = {},
    isMistakeOld = false,
    baseOf = ({ merge }: CiMachine): string => `${merge}^1`,
  ) {
    const machine = await ciMachine(folder.path, { npm: "", gh, kustomize }, { isMistakeOld });
    const file = join(machine.env.RUNNER_TEMP ?? "", "comments.json");
    const summary = join(machine.env.RUNNER_TEMP ?? "", "summary.md");
    await writeFile(file, JSON.stringify(comments));
    const result = await runAction({
      cwd: machine.checkout,
      env: {
        ...machine.env,
        GITHUB_ACTION_PATH: paths.root,
        GITHUB_REPOSITORY: "lab/gitops",
        GITHUB_RUN_ID: "1",
        GITHUB_SERVER_URL: "https://github.example.com",
        GITHUB_STEP_SUMMARY: summary,
        COMMENTS: file,
        GOJQ: gojq,
      },
      values: {
        "inputs.manifests": "manifests",
        "inputs.package": "https://files.example.com/hubrelay-0.1.0.tgz",
        "inputs.base != '' || github.event_name == 'pull_request'": true,
        "inputs.base || format('{0}^1', github.sha)": baseOf(machine),
        "github.event.pull_request.number": "7",
        [isOfRepository]: true,
        ...values,
      },
    });
    const read = (path: string) => readFile(path, "utf8");
    return {
      ...result,
      calls: await machine.calls(),
      summary: () => read(summary),
      written: (method: string) => read(`${file}.${method}`),
    };
  }

  test("When a pull request is checked first, it should annotate, summarize and comment, and fail with the manifests' errors", async () => {
    const others = [
      { id: 4, user: { login: "jo" }, body: "<!-- hubrelay manifests -->\nmine" },
      { id: 5, user: { login: "github-actions[bot]" }, body: "the result of another tool" },
    ];
    const { code, stdout, calls, summary, written } = await onPullRequest(others);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "::error file=manifests/mistake.yaml,line=13,col=7,title=hubrelay ConflictingMirrorSourcePolicy::",
    );
    expect(calls).toContain("npm install --global https://files.example.com/hubrelay-0.1.0.tgz\n");
    expect(calls).toContain("gh api --silent --method POST repos/lab/gitops/issues/7/comments --field");
    expect(await written("POST")).toBe(`<!-- hubrelay manifests -->\n${await summary()}`);
    expect(await summary()).toContain("#### What it costs nodes");
  });

  test("When it has commented before, it should update its own comment", async () => {
    const before = [
      { id: 5, user: { login: "github-actions[bot]" }, body: "the result of another tool" },
      { id: 6, user: { login: "github-actions[bot]" }, body: "<!-- hubrelay manifests -->\nold" },
      { id: 8, user: { login: "github-actions[bot]" }, body: "<!-- hubrelay manifests -->\nolder run" },
    ];
    const { calls } = await onPullRequest(before);
    expect(calls).toContain("gh api --silent --method PATCH repos/lab/gitops/issues/comments/6 --field");
    expect(calls).not.toContain("POST");
  });

  test("When the errors were there before the change, it should pass without a comment, and have them in the log for code scanning only", async () => {
    const { code, stdout, calls } = await onPullRequest([], {}, true);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining("::error") });
    expect(calls).not.toContain("POST");
    // The shallow checkout has nothing in common with a base that is named.
    const named = await onPullRequest([], {}, true, ({ base }) => base);
    expect(named).toMatchObject({ code: 0, stdout: expect.not.stringContaining("::error") });
  });

  test("When the change costs what fails the check, it should fail and say so beside the errors", async () => {
    const { code, stdout, calls } = await onPullRequest([], { "inputs.fail-on": "warning,reload" });
    expect(code).toBe(1);
    expect(stdout).toContain("::error title=hubrelay::fails on reload: the change costs ");
    expect(stdout).toContain("::error file=manifests/mistake.yaml");
    expect(calls).toContain("POST");
    const unchanged = await onPullRequest([], { "inputs.fail-on": "difference,reload" }, true);
    expect(unchanged).toMatchObject({ code: 0, stdout: expect.not.stringContaining("::error") });
  });

  test("When kustomizations are named, it should check and compare what is made of them", async () => {
    const inputs = { "inputs.kustomize": "manifests\n", "inputs.fail-on": "reload" };
    const { code, stdout, calls, summary } = await onPullRequest([], inputs);
    expect(code).toBe(1);
    expect(stdout).toMatch(/::error file=kustomize%3Amanifests,line=\d+,/);
    expect(stdout).toContain("::error title=hubrelay::fails on reload: the change costs ");
    expect(calls).toContain("kustomize build manifests\n");
    expect(await summary()).toContain("#### What it costs nodes");
    const unchanged = await onPullRequest([], inputs, true);
    expect(unchanged).toMatchObject({ code: 0, stdout: expect.not.stringContaining("::error") });
  });

  test.for([
    { package: "hubrelay", code: 2, says: "::error title=hubrelay::package: not a .tgz file." },
    { package: "", code: 1, says: "::error file=manifests/mistake.yaml" },
  ])(
    "When the package is '$package' and the pull request is from a fork, it should end with $code",
    async (expected) => {
      const { code, stdout, calls } = await onPullRequest([], {
        "inputs.package": expected.package,
        [isOfRepository]: false,
      });
      expect({ code, stdout }).toEqual({
        code: expected.code,
        stdout: expect.stringContaining(expected.says),
      });
      expect(calls).toBe(expected.package === "" ? "npm ci\nnpm link\n" : "");
    },
  );
});

type Note = Readonly<{ id: number; author: Readonly<{ id: number }>; body: string }>;

/** GitLab's API for the notes of a merge request, two a page. */
async function startGitLab(notes: readonly Note[]) {
  const written: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://gitlab");
    const page = Number(searchParams.get("page"));
    const content = await text(request);
    if (request.method !== "GET") written.push(`${request.method} ${pathname} ${JSON.parse(content).body}`);
    if (request.headers["private-token"] !== "x") response.statusCode = 401;
    if (page * 2 < notes.length) response.setHeader("x-next-page", page + 1);
    const found = pathname.endsWith("/user") ? { id: 1 } : notes.slice(page * 2 - 2, page * 2);
    response.end(JSON.stringify(found));
  });
  onTestFinished(() => void server.close());
  return { api: `http://127.0.0.1:${await listenOnFreePort(server)}/api/v4`, written };
}

describe("the component for GitLab", () => {
  const mark = "<!-- hubrelay hubrelay -->";
  test.for([
    {
      when: "nobody has commented",
      notes: [],
      inputs: {},
      request: "POST /api/v4/projects/1/merge_requests/2/notes",
    },
    {
      when: "it has commented before",
      notes: [
        { id: 11, author: { id: 9 }, body: `${mark}\nnot mine` },
        { id: 12, author: { id: 1 }, body: "another tool" },
        { id: 13, author: { id: 1 }, body: `${mark}\nold` },
      ],
      inputs: { kustomize: "manifests", "fail-on": "reload" },
      request: "PUT /api/v4/projects/1/merge_requests/2/notes/13",
    },
  ])(
    "When $when, it should report, comment once and fail with the manifests' errors",
    async ({ notes, request, inputs }) => {
      const { api, written } = await startGitLab(notes);
      const machine = await ciMachine(folder.path, { npm: "", kustomize });
      const { jobs } = await readComponent({
        ...inputs,
        package: "https://files.example.com/hubrelay-0.1.0.tgz",
        manifests: "manifests",
      });
      const [[name, job] = ["none", undefined]] = Object.entries(jobs);
      await succeeded("git", ["fetch", "--quiet", "--unshallow"], { cwd: machine.checkout });
      const script = [...(job?.before_script ?? []), ...(job?.script ?? [])].join("\n");
      const { code } = await finished("bash", ["-eo", "pipefail", "-c", script], {
        cwd: machine.checkout,
        env: {
          ...machine.env,
          ...Object.fromEntries(
            Object.entries(job?.variables ?? {}).map(([key, value]) => [key, `${value}`]),
          ),
          CI_API_V4_URL: api,
          CI_JOB_NAME: name,
          CI_MERGE_REQUEST_DIFF_BASE_SHA: machine.base,
          CI_MERGE_REQUEST_IID: "2",
          CI_PROJECT_ID: "1",
          COMMENT_TOKEN: "x",
        },
      });
      expect(code).toBe(1);
      const read = (path: string) => readFile(join(machine.checkout, path), "utf8");
      expect(await read("hubrelay.xml")).toContain('<failure type="ConflictingMirrorSourcePolicy"');
      expect(await read("hubrelay.md")).toContain("#### What it costs nodes");
      expect(written).toEqual([`${request} ${mark}\n${await read("hubrelay.md")}`]);
      const calls = (await machine.calls()).split("\n");
      expect(calls[0]).toBe("npm install --global https://files.example.com/hubrelay-0.1.0.tgz");
      expect(calls.includes("kustomize build manifests")).toBe("kustomize" in inputs);
    },
  );
});
