import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join, relative } from "node:path";
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

const isFuzz = (file: string): boolean => file.startsWith("test/fuzz/");

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

/** Runs the tests of these files with these titles; returns the names of those with a status, by their file. */
async function testsIn(
  folder: string,
  {
    files,
    titles,
    status,
  }: Readonly<{ files: readonly string[]; titles: readonly string[]; status: string }>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const program = join(folder, "node_modules/vitest/vitest.mjs");
  const out = join(folder, "claims-report.json");
  const tier = files.some(isFuzz) ? ["--config", "test/fuzz/vitest.config.ts"] : ["--project", "fast"];
  const pattern = titles.map(patternOf).join("|");
  const args = ["run", ...tier, ...files, "-t", pattern, "--reporter=json", `--outputFile.json=${out}`];
  // Where a test fails, so does the run. The few tests that start the command start its sources: no bundle is built.
  await run(process.execPath, [program, ...args, "--testTimeout=60000"], {
    cwd: folder,
    env: {
      ...process.env,
      // The random tier has no number of cases of its own.
      ...(files.some(isFuzz) ? { FC_SECONDS: "2", FC_SEED: "1" } : {}),
      TESTED_COMMAND: join(folder, "cli/main.ts"),
      VITEST: undefined,
    },
    timeout: 240_000,
  }).catch(() => undefined);
  const { testResults } = report.parse(JSON.parse(await readFile(out, "utf8")));
  await writeFile(out, "{}");
  return new Map(
    testResults.map(({ name, assertionResults }) => [
      relative(folder, name),
      assertionResults.filter((one) => one.status === status).map(({ fullName }) => fullName),
    ]),
  );
}

/** Returns the tests that fail while the change is made. */
async function failingWith(folder: string, change: Break): Promise<readonly string[]> {
  const file = join(folder, change.in);
  const text = await readFile(file, "utf8");
  await writeFile(file, broken(text, change));
  try {
    const failed = await testsIn(folder, { files: [change.test], titles: [change.fails], status: "failed" });
    return failed.get(change.test) ?? [];
  } finally {
    await writeFile(file, text);
  }
}

/** Returns the tests that changes name and that pass before any change, by their file. */
async function passingTests(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const titles = changes.map(({ fails }) => fails);
  const all = [...new Set(changes.map(({ test: file }) => file))];
  const [fuzz, fast] = [all.filter(isFuzz), all.filter((file) => !isFuzz(file))];
  const status = "passed";
  return new Map([
    ...(await testsIn(folder, { files: fast, titles, status })),
    ...(await testsIn(folder, { files: fuzz, titles, status })),
  ]);
}

describe("the claims about security", () => {
  const folder = sharedFolder();
  const free: string[] = [];
  const waiting: ((copy: string) => void)[] = [];
  let passing: ReadonlyMap<string, readonly string[]>;

  beforeAll(async () => {
    const names = Array.from({ length: availableParallelism() }, (_, index) => `copy-${index}`);
    free.push(...(await Promise.all(names.map((name) => copyTo(join(folder.path, name))))));
    passing = await passingTests(free[0] ?? folder.path);
  }, 600_000);

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

  test.concurrent.for(changes)(
    "When “$claim” is broken in $in, “$fails” should fail",
    async (change, { expect }) => {
      const isNamed = RegExp(patternOf(change.fails));
      expect(passing.get(change.test)).toContainEqual(expect.stringMatching(isNamed));
      const failing = await inCopy((copy) => failingWith(copy, change));
      expect(failing).toContainEqual(expect.stringMatching(isNamed));
    },
  );
});
