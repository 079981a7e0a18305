import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { paths } from "./paths.ts";
import { finished } from "./run-program.ts";

const { bench, docs, generate, image, mutation, package: packaging, picture, release } = packageJson.scripts;

function run(call: string, option: string) {
  return finished(process.execPath, [...call.split(" ").slice(1), option], { cwd: paths.root });
}

test.concurrent.for(
  Object.entries({ bench, docs, generate, image, mutation, package: packaging, picture, release }),
)("When npm run %s is called with --help, it should print its options", async ([name, call], { expect }) => {
  const { code, stdout, stderr } = await run(call, "--help");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(`Usage: npm run ${name} -- [options]\n`);
});

test("When a script is called with an unknown option, it should say so in one line", async () => {
  expect(await run(generate, "--nonsense")).toEqual({
    code: 2,
    stdout: "",
    stderr: "unknown option '--nonsense'. Run 'npm run generate -- --help' for usage.\n",
  });
});
