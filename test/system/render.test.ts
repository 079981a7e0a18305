import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const mirrorSet = (name: string, ...sources: string[]) => `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: ${name}
spec:
  imageDigestMirrors:
${sources.map((source) => `  - source: ${source}\n    mirrors: [mirror.example.com/m]\n`).join("")}`;

const template = `unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]
short-name-mode = ""
additional-layer-store-auth-helper = ""
`;
const entry = (source: string) => `
[[registry]]
  prefix = ""
  location = "${source}"

  [[registry.mirror]]
    location = "mirror.example.com/m"
    pull-from-mirror = "digest-only"
`;
const mixed = mirrorSet("acme", "quay.io/good", "quay.io/bad:tag");
/** The API server refuses a mirror that is listed twice. */
const twice = mirrorSet("acme", "quay.io/good").replace(/mirrors: \[(.*?)\]/, "mirrors: [$1, $1]");

describe("hubrelay render -f -", () => {
  test.for([
    {
      name: "When nothing is configured, it should print the template",
      args: [],
      stdin: "apiVersion: config.openshift.io/v1\nkind: Image\nmetadata: {name: cluster}\nspec: {}\n",
      stdout: template,
      exitCode: 0,
    },
    {
      name: "When a rule is valid, it should print it",
      args: [],
      stdin: mirrorSet("acme", "quay.io/good"),
      stdout: template + entry("quay.io/good"),
      exitCode: 0,
    },
    {
      name: "When one rule is refused, it should print nothing and exit 1",
      args: [],
      stdin: mixed,
      stdout: "",
      exitCode: 1,
    },
    {
      name: "When only the API server refuses a rule, it should print what the operator writes and exit 1",
      args: [],
      stdin: twice,
      stdout: template + entry("quay.io/good"),
      exitCode: 1,
    },
    {
      name: "When only the API server refuses a rule and --strict is given, it should print nothing and exit 1",
      args: ["--strict"],
      stdin: twice,
      stdout: "",
      exitCode: 1,
    },
    {
      name: "When an object is defined twice, it should print the last and exit 1",
      args: [],
      stdin: `${mirrorSet("acme", "quay.io/old")}---\n${mirrorSet("acme", "quay.io/good")}`,
      stdout: template + entry("quay.io/good"),
      exitCode: 1,
    },
    {
      name: "When one document is broken, it should print the others and exit 1",
      args: [],
      stdin: `${mirrorSet("acme", "quay.io/good")}---\nkind: [\n`,
      stdout: template + entry("quay.io/good"),
      exitCode: 1,
    },
  ])("$name", async ({ args, stdin, stdout, exitCode }) => {
    const result = await hubrelay(["render", "-f", "-", ...args], { stdin });
    expect(result).toMatchObject({ stdout, exitCode });
  });

  test.for([
    [["--dir", "out"], "--dir needs -o files."],
    [["-o", "files"], "-o files needs --dir DIR, the output folder."],
    [["--format", "json"], "--format needs -o machine-config."],
    [["-o", "json", "--pool", "master"], "--pool needs -o machine-config."],
    [
      ["--explain", "quay.io/good", "-o", "policy-json"],
      "--explain supports text output, or JSON with -o json",
    ],
  ] as const)(
    "When an option would be ignored or contradicts another (%s), it should be refused",
    async ([args, why]) => {
      const result = await hubrelay(["render", "-f", "-", ...args], {
        stdin: mirrorSet("acme", "quay.io/good"),
      });
      expect(result).toEqual({ stdout: "", stderr: `hubrelay: ${why}\n`, exitCode: 2 });
    },
  );

  test("When issues are requested as JSON, it should write one object a line with all their fields", async () => {
    const { stderr } = await hubrelay(
      ["render", "-f", "-", "--release-version", "4.20.1", "--issues", "json"],
      {
        stdin: mixed,
      },
    );
    const [issue, ...others] = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(others).toEqual([]);
    expect(issue).toMatchObject({
      code: "InvalidSource",
      severity: "error",
      object: { kind: "ImageDigestMirrorSet", name: "acme" },
      path: "spec.imageDigestMirrors[1].source",
      value: "quay.io/bad:tag",
    });
    expect(issue.message).not.toBe("");
    expect(issue.remedy).not.toBe("");
  });

  test("When a MachineConfig is requested as JSON, it should be the pool's, with the file inside", async () => {
    const { stdout } = await hubrelay(
      ["render", "-f", "-", "-o", "machine-config", "--pool", "master", "--format", "json"],
      {
        stdin: mirrorSet("acme", "quay.io/good"),
      },
    );
    const machineConfig = JSON.parse(stdout);
    expect(machineConfig.metadata.name).toBe("99-master-generated-registries");
    expect(machineConfig.metadata.labels).toEqual({ "machineconfiguration.openshift.io/role": "master" });
    const [file] = machineConfig.spec.config.storage.files;
    expect(file.path).toBe("/etc/containers/registries.conf");
    const content = Buffer.from(file.contents.source.split("base64,")[1], "base64").toString();
    expect(content).toBe(template + entry("quay.io/good"));
  });

  test.for([
    {
      name: "wroker",
      exitCode: 2,
      stderr: "hubrelay: no such MachineConfigPool: wroker (Did you mean worker?)",
    },
    { name: "worker", exitCode: 0, stderr: "" },
  ])(
    "When the manifests have pools, --pool $name should exit with $exitCode",
    async ({ name, exitCode, stderr }) => {
      const pool =
        "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: { name: worker }\n";
      const result = await hubrelay(["render", "-f", "-", "-o", "machine-config", "--pool", name], {
        stdin: `${mirrorSet("acme", "quay.io/good")}${pool}`,
      });
      expect(result).toMatchObject({ exitCode, stderr: expect.stringContaining(stderr) });
      if (exitCode !== 0) expect(result.stdout).toBe("");
    },
  );
});

describe("hubrelay with folders", () => {
  const folder = sharedFolder({ "a.yaml": mirrorSet("acme", "quay.io/good") });

  test("When -o files is given, it should write the file tree of a node", async () => {
    const target = join(folder.path, "node");
    const { stdout, exitCode } = await hubrelay([
      "render",
      "-f",
      join(folder.path, "a.yaml"),
      "-o",
      "files",
      "--dir",
      target,
    ]);
    const path = join(target, "etc/containers/registries.conf");
    expect({ stdout, exitCode }).toEqual({ stdout: `${path}\n`, exitCode: 0 });
    expect(await readFile(path, "utf8")).toBe(template + entry("quay.io/good"));
    expect((await stat(path)).mode & 0o777).toBe(0o644);
  });

  test.for([
    { name: "a missing file", args: ["validate", "-f", "no-such-file.yaml"], reported: "no-such-file.yaml" },
    { name: "an unknown command", args: ["rendr"], reported: "Did you mean render?" },
    { name: "an unknown output", args: ["render", "-f", "-", "-o", "xml"], reported: "registries-conf" },
    { name: "-o files without --dir", args: ["render", "-f", "-", "-o", "files"], reported: "--dir" },
    { name: "no -f and no kubeconfig", args: ["validate"], reported: "KUBECONFIG" },
    { name: "no -f of convert and no kubeconfig", args: ["convert"], reported: "KUBECONFIG" },
  ])("When the usage is wrong ($name), it should exit 2 and say so", async ({ args, reported }) => {
    const { stdout, stderr, exitCode } = await hubrelay(args);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain(reported);
  });

  test.for([["--help"], ["render", "--help"]])(
    "When help is requested (%s), it should contain examples",
    async (args) => {
      const { stdout, exitCode } = await hubrelay(args);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/Exit codes|Examples/);
      // What follows an example must survive copying.
      expect(stdout).not.toMatch(/^ {2}hubrelay .*\S {4,}[^\s#]/m);
    },
  );
});
