import { test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { finished } from "./command.ts";
import { paths } from "./paths.ts";

const { bench, package: packaging, release } = packageJson.scripts;
const scripts = Object.entries({ bench, package: packaging, release }).map(([name, call]) => ({
  name,
  run: (option: string) =>
    finished(process.execPath, [...call.split(" ").slice(1), option], { cwd: paths.root }),
}));

test.concurrent.for(scripts)(
  "When npm run $name is called with --help, it should print its options",
  async ({ name, run }, { expect }) => {
    const { code, stdout, stderr } = await run("--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(`Usage: npm run ${name} -- [options]\n`);
  },
);

test.concurrent.for(scripts)(
  "When npm run $name is called with an unknown option, it should say so in one line",
  async ({ name, run }, { expect }) => {
    expect(await run("--nonsense")).toEqual({
      code: 2,
      stdout: "",
      stderr: `unknown option '--nonsense'. Run 'npm run ${name} -- --help' for usage.\n`,
    });
  },
);
