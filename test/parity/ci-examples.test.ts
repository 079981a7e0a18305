import { spawnSync } from "node:child_process";
import { cp, glob, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { paths } from "../../infra/paths.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "../system/cli-in-process.ts";

/*
 * What CI systems and their tools say about the output, the workflows and the examples: actionlint checks the workflows,
 * and the OASIS schema, which gosec's module contains, the SARIF log. Both come from the Go proxy.
 */

const actionlint = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const gosec = "github.com/securego/gosec/v2@v2.30.0";
const examples = join(paths.root, "examples/ci");

function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8", env });
  return { status, stdout, stderr };
}

const folder = sharedFolder();

test("When actionlint reads the workflows, it should find nothing", async () => {
  const own = await Array.fromAsync(glob(join(paths.root, ".github/workflows/*.yaml")));
  expect(own.length).toBeGreaterThan(2);
  const result = run("go", ["run", actionlint, join(examples, "github-workflow.yaml"), ...own], folder.path);
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

  test.for([["examples/hub"], ["test/corpus"], ["test/corpus/precache"]])(
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

type Step = Readonly<{ name?: string; run?: string }>;

/** Runs the commands of an example with the real hubrelay; what else they call writes its arguments to `calls`. */
async function runExample(script: string, env: Readonly<Record<string, string>>) {
  const checkout = await mkdtemp(join(folder.path, "checkout-"));
  await cp(join(paths.root, "examples/hub"), join(checkout, "manifests"), { recursive: true });
  await mkdir(join(checkout, "bin"));
  const programs = {
    hubrelay: `exec "${process.execPath}" "${join(paths.root, "cli/main.ts")}" "$@"`,
    ...Object.fromEntries(
      ["npm", "gh", "git", "curl"].map((name) => [name, `echo ${name} "$@" >> "$CALLS"`]),
    ),
  };
  for (const [name, line] of Object.entries(programs))
    await writeFile(join(checkout, "bin", name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const result = run("bash", ["-eo", "pipefail", "-c", script], checkout, {
    ...process.env,
    PATH: `${join(checkout, "bin")}${delimiter}${process.env.PATH}`,
    CALLS: join(checkout, "calls"),
    MANIFESTS: "manifests",
    ...env,
  });
  const read = (name: string) => readFile(join(checkout, name), "utf8");
  return { ...result, read };
}

test("When the steps of the workflow run, they should annotate, comment and fail with the manifests' errors", async () => {
  const workflow = parse(await readFile(join(examples, "github-workflow.yaml"), "utf8"));
  const steps: readonly Step[] = workflow.jobs.manifests.steps;
  const script = steps.flatMap((step) => step.run ?? []).join("\n");
  const { status, stdout, read } = await runExample(script, {
    GITHUB_STEP_SUMMARY: "summary.md",
    NUMBER: "7",
  });
  expect(status).toBe(1);
  expect(stdout).toContain(
    "::error file=manifests/mistake.yaml,line=13,col=7,title=hubrelay ConflictingMirrorSourcePolicy::",
  );
  expect(JSON.parse(await read("hubrelay.sarif")).version).toBe("2.1.0");
  expect(await read("summary.md")).toBe(await read("hubrelay.md"));
  expect(await read("hubrelay.md")).toContain("### Cost for nodes: ");
  expect(await read("calls")).toContain("gh pr comment 7 --body-file hubrelay.md");
});

test("When the script of the GitLab job runs, it should report, comment and fail with the manifests' errors", async () => {
  const { hubrelay: job } = parse(await readFile(join(examples, "gitlab-job.yaml"), "utf8"));
  const script = [...job.before_script, ...job.script].join("\n");
  const { status, read } = await runExample(script, {
    CI_BUILDS_DIR: join(folder.path, "builds"),
    CI_MERGE_REQUEST_DIFF_BASE_SHA: "abc",
    COMMENT_TOKEN: "x",
    CI_API_V4_URL: "https://gitlab.example.com/api/v4",
    CI_PROJECT_ID: "1",
    CI_MERGE_REQUEST_IID: "2",
  });
  expect(status).toBe(1);
  expect(await read("hubrelay.xml")).toContain('<failure type="ConflictingMirrorSourcePolicy"');
  expect(await read("hubrelay.md")).toContain("### Cost for nodes: ");
  expect(await read("calls")).toMatch(
    /^curl .*data-urlencode body@hubrelay\.md .*\/merge_requests\/2\/notes$/m,
  );
});
