import { describe, expect, test } from "vitest";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const folder = sharedFolder({
  "none/readme.txt": "x",
  "comments/set.yaml": "# nothing here\n",
  "foreign/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
});

const run = (command: string, filename: string) =>
  hubrelay([...command.split(" "), "-f", filename], { cwd: folder.path, stdin: "" });

const image = "quay.io/acme/app:v1";
/** These print a list, which may be empty: objects of other kinds are no error. */
const lists = ["windows", "precache plan"];
const others = [
  "render",
  "render -o machine-config",
  `explain ${image}`,
  "verify",
  "hosted",
  `hosted explain ${image}`,
];

describe.for([...lists, ...others])("hubrelay %s", (command) => {
  test.for([
    ["none", "none has no file that ends in .yaml, .yml or .json"],
    ["comments", "comments has no objects"],
    ["-", "standard input has no objects"],
  ])("When -f is %s, the reason should be one line, and exit code 2", async ([filename = "", why]) => {
    expect(await run(command, filename)).toEqual({
      stdout: "",
      stderr: `hubrelay: nothing to check: ${why}. Name other manifests.\n`,
      exitCode: 2,
    });
  });
});

test.for(others)(
  "When hubrelay %s reads only objects of other kinds, exit code should be 2",
  async (command) => {
    const { stdout, stderr, exitCode } = await run(command, "foreign");
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toMatch(
      /^hubrelay: nothing to check: the 1 object in 1 file are of kinds that hubrelay \w+ does not check \(ConfigMap\)\. Name other manifests\.\n$/,
    );
  },
);

test.for(lists)(
  "When hubrelay %s reads only objects of other kinds, the list should be empty",
  async (command) => {
    const { stdout, exitCode } = await run(command, "foreign");
    expect({ stdout, exitCode }).toEqual({
      stdout: expect.stringMatching(/^No \w+ found\.\n$/),
      exitCode: 0,
    });
  },
);

test("When convert reads a folder without manifests, it should report that, with exit code 2", async () => {
  expect(await run("convert", "none")).toMatchObject({
    stderr: expect.stringContaining("nothing to check: none has no file"),
    exitCode: 2,
  });
});
