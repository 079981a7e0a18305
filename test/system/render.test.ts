import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
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

describe("hubrelay render -f -", () => {
  test.for([
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

  test("When a MachineConfig is requested, it should be the pool's, with the file inside", async () => {
    const { stdout } = await hubrelay(["render", "-f", "-", "-o", "machine-config", "--pool", "master"], {
      stdin: mirrorSet("acme", "quay.io/good"),
    });
    const machineConfig = parse(stdout);
    expect(machineConfig.metadata.name).toBe("99-master-generated-registries");
    expect(machineConfig.metadata.labels).toEqual({ "machineconfiguration.openshift.io/role": "master" });
    const [file] = machineConfig.spec.config.storage.files;
    expect(file.path).toBe("/etc/containers/registries.conf");
    const content = Buffer.from(file.contents.source.split("base64,")[1], "base64").toString();
    expect(content).toBe(template + entry("quay.io/good"));
  });
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
