import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, test } from "vitest";
import * as z from "zod";
import { paths } from "../../infra/paths.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { type Break, broken, securityClaims } from "./claims.ts";

/* Applies each change that breaks a claim to a copy of the checkout, and runs the test that must notice it there. */

const run = promisify(execFile);
const notCopied = new Set(["node_modules", ".git", ".cache", "dist", "reports"]);
const changes = securityClaims.flatMap(({ claim, breaks }) => breaks.map((one) => ({ claim, ...one })));

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** Returns the pattern of a title as it is written in a table, with placeholders. */
function patternOf(title: string): string {
  return title
    .split(/%[sij]|\$\{[^}]*\}|\$\w+/)
    .map((text) => RegExp.escape(text))
    .join(".*");
}

async function copyTo(folder: string): Promise<string> {
  await mkdir(folder);
  await cp(paths.root, folder, { recursive: true, filter: (from) => !notCopied.has(basename(from)) });
  await symlink(join(paths.root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Runs the tests of these files with these titles; returns the names of those that ran, by their status. */
async function testsIn(folder: string, files: readonly string[], titles: readonly string[]) {
  const program = join(folder, "node_modules/vitest/vitest.mjs");
  const out = join(folder, "claims-report.json");
  const isFuzz = files.some((file) => file.startsWith("test/fuzz/"));
  const tier = isFuzz ? ["--config", "test/fuzz/vitest.config.ts"] : ["--project", "fast"];
  const pattern = titles.map(patternOf).join("|");
  const args = ["run", ...tier, ...files, "-t", pattern, "--reporter=json", `--outputFile.json=${out}`];
  // Where a test fails, so does the run.
  await run(process.execPath, [program, ...args, "--maxWorkers=1", "--testTimeout=60000"], {
    cwd: folder,
    env: { ...process.env, FC_SECONDS: "2", FC_SEED: "1", VITEST: undefined },
    timeout: 240_000,
  }).catch(() => undefined);
  const { testResults } = report.parse(JSON.parse(await readFile(out, "utf8")));
  await writeFile(out, "{}");
  const named = testResults.flatMap(({ assertionResults }) => assertionResults);
  const withStatus = (status: string) =>
    named.filter((one) => one.status === status).map(({ fullName }) => fullName);
  return { passed: withStatus("passed"), failed: withStatus("failed") };
}

/** Returns the tests that fail while the change is made. */
async function failingWith(folder: string, change: Break): Promise<readonly string[]> {
  const file = join(folder, change.in);
  const text = await readFile(file, "utf8");
  await writeFile(file, broken(text, change));
  try {
    return (await testsIn(folder, [change.test], [change.fails])).failed;
  } finally {
    await writeFile(file, text);
  }
}

describe("the claims about security", () => {
  const folder = sharedFolder();
  const free: string[] = [];
  const waiting: ((copy: string) => void)[] = [];
  /** The passing tests of a file whose titles changes name, before any change. */
  const passing = new Map<string, Promise<readonly string[]>>();

  beforeAll(async () => {
    const names = Array.from({ length: availableParallelism() }, (_, index) => `copy-${index}`);
    free.push(...(await Promise.all(names.map((name) => copyTo(join(folder.path, name))))));
  });

  /** Works in a copy that no other test uses at the time. */
  async function inCopy<Result>(work: (copy: string) => Promise<Result>): Promise<Result> {
    const copy = free.pop() ?? (await new Promise<string>((start) => waiting.push(start)));
    try {
      return await work(copy);
    } finally {
      const next = waiting.shift();
      if (next) next(copy);
      else free.push(copy);
    }
  }

  function passingIn(file: string): Promise<readonly string[]> {
    const titles = changes.filter((one) => one.test === file).map(({ fails }) => fails);
    const known = passing.get(file) ?? inCopy(async (copy) => (await testsIn(copy, [file], titles)).passed);
    passing.set(file, known);
    return known;
  }

  test.concurrent.for(changes)(
    "When “$claim” is broken in $in, “$fails” should fail",
    async (change, { expect }) => {
      const isNamed = RegExp(patternOf(change.fails));
      expect(await passingIn(change.test)).toContainEqual(expect.stringMatching(isNamed));
      const failing = await inCopy((copy) => failingWith(copy, change));
      expect(failing).toContainEqual(expect.stringMatching(isNamed));
    },
  );
});
