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
  const good = mirrorSet("acme", "quay.io/good");
  const printed = template + entry("quay.io/good");

  test.for([
    ["When a rule is valid, it should print it", good, printed, 0],
    ["When one rule is refused, it should print nothing and exit 1", mixed, "", 1],
    ["When one document is broken, it should print the others", `${good}---\nkind: [\n`, printed, 1],
  ] as const)("%s", async ([, stdin, stdout, exitCode]) => {
    expect(await hubrelay(["render", "-f", "-"], { stdin })).toMatchObject({ stdout, exitCode });
  });

  test.for([
    ["-o policy-json", good, /^\{\n {4}"default": \[\n {8}\{\n {12}"type": "insecureAcceptAnything"/],
    ["-o json", good, /^\{\n {2}"entries": \[\n[\s\S]*"path": "\/etc\/containers\/registries\.conf",/],
    [
      "--explain",
      mirrorSet("acme").replace("Mirrors:", "Mirrors: []"),
      /^registries\.conf has no entries\.\n$/,
    ],
  ] as const)("When %s is given, it should print that", async ([option, stdin, printed]) => {
    const { stdout, exitCode } = await hubrelay(["render", "-f", "-", ...option.split(" ")], { stdin });
    expect({ stdout, exitCode }).toEqual({ stdout: expect.stringMatching(printed), exitCode: 0 });
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
    const args = ["render", "-f", join(folder.path, "a.yaml"), "-o", "files", "--dir", target];
    const { stdout, exitCode } = await hubrelay(args);
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
