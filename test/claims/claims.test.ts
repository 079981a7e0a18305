import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { paths } from "../../infra/paths.ts";
import { broken, securityClaims } from "./claims.ts";

/* Applies each change that breaks a claim to a copy of the checkout of its own, and runs the tests that must notice them, and
 * the same tests in a copy without a change, in one run of Vitest. */

const run = promisify(execFile);
const notCopied = new Set(["node_modules", ".git", ".cache", "dist", "reports"]);
const folder = join(paths.cache, "claims");
const unbroken = "unbroken";
const changes = securityClaims
  .flatMap(({ claim, breaks }) => breaks.map((one) => ({ claim, ...one })))
  .map((one, index) => ({ ...one, copy: `copy-${index}` }));

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
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

/** Makes a copy of hard links: only a changed file takes space, and is written anew. */
async function copyTo(name: string): Promise<void> {
  const copy = join(folder, name);
  await mkdir(copy, { recursive: true });
  const entries = (await readdir(paths.root)).filter((entry) => !notCopied.has(entry));
  await run("cp", ["-al", ...entries.map((entry) => join(paths.root, entry)), copy]);
  await symlink(join(paths.root, "node_modules"), join(copy, "node_modules"));
}

/** Runs the tests with these titles, and returns the names of those with a status, by their file below the folder. */
async function resultsOf(files: readonly string[], titles: readonly string[]) {
  const out = join(folder, "report.json");
  const config = join(import.meta.dirname, "vitest.config.ts");
  const args = ["run", "--config", config, "-t", titles.map(patternOf).join("|"), "--reporter=json"];
  // Where a test fails, so does the run. The few tests that start the command start the sources of their copy.
  await run(
    process.execPath,
    [join(paths.root, "node_modules/vitest/vitest.mjs"), ...args, `--outputFile=${out}`],
    {
      cwd: folder,
      env: {
        ...process.env,
        CLAIMS_FOLDER: folder,
        CLAIMS_FILES: JSON.stringify(files),
        VITEST: undefined,
        TESTED_COMMAND: undefined,
      },
      maxBuffer: 2 ** 28,
    },
  ).catch(() => undefined);
  const { testResults } = report.parse(JSON.parse(await readFile(out, "utf8")));
  const byFile = new Map(
    testResults.map(({ name, assertionResults }) => [relative(folder, name), assertionResults]),
  );
  return (file: string, wanted: "passed" | "failed"): readonly string[] =>
    (byFile.get(file) ?? []).flatMap(({ fullName, status }) => (status === wanted ? [fullName] : []));
}

describe("the claims about security", () => {
  let results: Awaited<ReturnType<typeof resultsOf>>;

  beforeAll(async () => {
    await rm(folder, { recursive: true, force: true });
    for (const name of [unbroken, ...changes.map(({ copy }) => copy)]) await copyTo(name);
    for (const change of changes) {
      const file = join(folder, change.copy, change.in);
      const text = broken(await readFile(file, "utf8"), change);
      await rm(file); // a link to the checkout's own
      await writeFile(file, text);
    }
    const files = changes.flatMap(({ copy, test: file }) => [join(unbroken, file), join(copy, file)]);
    results = await resultsOf(
      [...new Set(files)],
      changes.map(({ fails }) => fails),
    );
    return () => rm(folder, { recursive: true, force: true });
  }, 1_800_000);

  test.for(changes)("When “$claim” is broken in $in, “$fails” should fail", ({ copy, fails, test: file }) => {
    const isNamed = RegExp(patternOf(fails));
    expect(results(join(unbroken, file), "passed")).toContainEqual(expect.stringMatching(isNamed));
    expect(results(join(copy, file), "failed")).toContainEqual(expect.stringMatching(isNamed));
  });
});
