import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { paths } from "./paths.ts";
import { finished } from "./run-program.ts";

const { bench, docs, generate, image, mutation, package: packaging, picture, release } = packageJson.scripts;
const scripts = { bench, docs, generate, image, mutation, package: packaging, picture, release };

const wordsOf = (call: string): readonly string[] => call.split(" ").slice(1);
const inRoot = { cwd: paths.root };

/** Runs each call with --help. One process for all: scripts load much of the same. */
const helpOfEach = `
for (const [file, ...args] of JSON.parse(process.argv[1])) {
  process.argv = [process.execPath, file, ...args, "--help"];
  await import("./" + file);
}`;

test("When scripts of package.json are called with --help, each should print its options", async () => {
  const calls = JSON.stringify(Object.values(scripts).map(wordsOf));
  const args = ["--input-type=module", "--eval", helpOfEach, calls];
  const { code, stdout, stderr } = await finished(process.execPath, args, inRoot);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const usages = Object.keys(scripts).map((name) => `Usage: npm run ${name} -- [options]`);
  expect(stdout.match(/^Usage: .*$/gm)).toEqual(usages);
});

test("When a script is called with an unknown option, it should say so in one line", async () => {
  expect(await finished(process.execPath, [...wordsOf(generate), "--nonsense"], inRoot)).toEqual({
    code: 2,
    stdout: "",
    stderr: "unknown option '--nonsense'. Run 'npm run generate -- --help' for usage.\n",
  });
});
