import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const set = (name: string, source: string) => `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: ${name}
spec:
  imageDigestMirrors:
    - source: ${source}
      mirrors: [mirror.example.com/a]
`;
const other = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
/** A ConfigMap with a text that is not complete YAML, and one whose key is not the name that nodes look for. */
const unreadable = `${other("extra")}data:
  set.yaml: |
    kind: ImageDigestMirrorSet
    metadata: {name: m
`;
const authorities = `${other("ca").replace("ca}", "ca, namespace: openshift-config}")}data: {mirror.example.com: x}
---
apiVersion: config.openshift.io/v1
kind: Image
metadata: {name: cluster}
spec: {additionalTrustedCA: {name: ca}}
---
${set("m", "quay.io/a").replace("com/a", 'com:5000/a"').replace("[", '["')}`;
const upgrade = `apiVersion: ran.openshift.io/v1alpha1
kind: ClusterGroupUpgrade
metadata: {namespace: ztp, name: upgrade}
spec:
  clusters: [edge1]
  preCachingConfigRef: {namespace: ztp, name: settings}
  remediationStrategy: {maxConcurrency: 1}
`;

const files: Readonly<Record<string, string>> = {
  "manifests/bad.yaml": `${set("good", "quay.io/good")}---\n${set("bad", "quay.io/bad:v1")}`,
  "manifests/upgrade.yaml": upgrade,
  "manifests/others.yaml": `${other("a")}---\n${other("b")}`,
  "good/set.yaml": set("good", "quay.io/good"),
  "broken.yaml": `${set("good", "quay.io/good")}---\nkind: [\n`,
  "strange/100%, a:b.yaml": set("bad", "quay.io/\\u001b:v1"),
  "foreign/maps.yaml": `${other("a")}---\n${other("b")}`,
  "holding/policy.yaml": `apiVersion: policy.open-cluster-management.io/v1
kind: ConfigurationPolicy
metadata: {name: mirrors, namespace: ztp}
spec: {remediationAction: enforce, object-templates-raw: "{{ fromConfigMap }} kind: ImageDigestMirrorSet"}
`,
  "inside/unreadable/map.yaml": unreadable,
  "inside/authorities/map.yaml": authorities,
  "inside/damaged/map.yaml": unreadable
    .replace("    kind: ", "    apiVersion: config.openshift.io/v1\n    kind: ")
    .replace("{name: m", "{}"),
  "inside/template/map.yaml": `${unreadable.replace("{name: m", "{name: '{{ m }}'}")}---\n${set("m", "quay.io/a")}`,
  "none/readme.txt": "x",
  "repository/.git/HEAD": "",
  "repository/envs/bad.yaml": set("bad", "quay.io/bad:v1"),
  "comments/set.yaml": "# nothing here\n",
};

const folder = sharedFolder(files);

const validate = (args: readonly string[], stdin = "") =>
  hubrelay(["validate", ...args], { cwd: folder.path, stdin });

const coverageLines = [
  "Not read: ConfigMap (2): other kinds.",
  "Assumed: release 5.1 from OpenShift's own repositories, without the signature policy of its payload; an empty Image; pools master and worker; no MachineConfig changes these files.",
];
const counts = `3 objects checked in 3 files, 2 ignored, 1 error, 1 warning\n${coverageLines.join("\n")}\n`;
const place = { file: "manifests/bad.yaml", line: 16, column: 7 };

test("When objects have issues, each should be a line with its place, and the counts and coverage the last", async () => {
  const { stdout, stderr, exitCode } = await validate(["-f", "manifests"]);
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toBe(
    `manifests/bad.yaml:16:7: error: ImageDigestMirrorSet/bad spec.imageDigestMirrors[0].source: invalid format for source "quay.io/bad:v1". [InvalidSource]
    Fix: Remove the tag; a source is host[:port][/path] in lower case, or *.domain, without scheme, tag or digest.
manifests/upgrade.yaml:6:3: warning: ClusterGroupUpgrade/ztp/upgrade spec.preCachingConfigRef: No such PreCachingConfig: ztp/settings; [PreCachingConfigMissing]
    it is not among the manifests.
    Fix: Create the PreCachingConfig, or correct the reference.
${counts}`,
  );
});

test("When standard error is a terminal, issues should have the lines of their files, in colours", async () => {
  const onTerminal = async (...command: readonly string[]) => {
    const { stderr } = await hubrelay(command, { cwd: folder.path, columns: 100 });
    return stderr;
  };
  expect(stripVTControlCharacters(await onTerminal("validate", "manifests"))).toBe(
    `manifests/bad.yaml:16:7: error: ImageDigestMirrorSet/bad spec.imageDigestMirrors[0].source: invalid format for source "quay.io/bad:v1". [InvalidSource]
    16 |     - source: quay.io/bad:v1
       |               ^^^^^^^^^^^^^^
    Fix: Remove the tag; a source is host[:port][/path] in lower case, or *.domain, without scheme,
    tag or digest.
manifests/upgrade.yaml:6:3: warning: ClusterGroupUpgrade/ztp/upgrade spec.preCachingConfigRef: No such PreCachingConfig: ztp/settings; [PreCachingConfigMissing]
    it is not among the manifests.
    6 |   preCachingConfigRef: {namespace: ztp, name: settings}
      |                                               ^^^^^^^^
    Fix: Create the PreCachingConfig, or correct the reference.
${counts}`,
  );
  const ofDiff = await onTerminal("diff", "good", "manifests");
  expect(ofDiff).toContain("\u001b[31merror\u001b[39m: ImageDigestMirrorSet/bad ");
  expect(ofDiff).toContain("\u001b[2m16 |\u001b[22m     - source: quay.io/bad:v1\n");
});

test("When a command should be quiet, it should only print errors, and end with the same exit code", async () => {
  const first = "manifests/bad.yaml:16:7: error: ImageDigestMirrorSet/bad ";
  for (const command of [
    ["validate", "manifests"],
    ["diff", "good", "manifests"],
  ]) {
    const { stdout, stderr, exitCode } = await hubrelay([...command, "--quiet"], { cwd: folder.path });
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr.split("\n")).toEqual([
      expect.stringContaining(first),
      expect.stringContaining("    Fix: "),
      "",
    ]);
  }
  expect(await validate(["-q", "good"])).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  const ofWarning = await validate(["-q", "manifests/upgrade.yaml", "--fail-on", "warning"]);
  const why = "hubrelay: fails on warning: 1 warning.\n";
  expect(ofWarning).toEqual({ stdout: "", stderr: why, exitCode: 1 });
});

test.for([
  { args: ["manifests", "good/set.yaml"], same: ["-f", "manifests", "-f", "good/set.yaml"] },
  { args: ["good", "-f", "manifests"], same: ["-f", "manifests", "-f", "good"] },
  { args: ["-"], same: ["-f", "-"] },
])("When paths are arguments, $args should be read as $same", async ({ args, same }) => {
  const stdin = set("bad", "quay.io/bad:v1");
  const named = await validate(args, stdin);
  expect(named).toEqual(await validate(same, stdin));
  expect(named.stderr).toContain("[InvalidSource]");
});

test("When JSON is asked for, it should be issues, summary and coverage", async () => {
  const { stdout, stderr, exitCode } = await validate(["-f", "manifests", "-o", "json"]);
  expect(JSON.parse(stdout)).toEqual({
    issues: [
      expect.objectContaining({ code: "InvalidSource", severity: "error", ...place }),
      expect.objectContaining({ code: "PreCachingConfigMissing", severity: "warning", line: 6, column: 3 }),
    ],
    accepted: [],
    summary: { objects: 3, files: 3, ignored: 2, errors: 1, warnings: 1, accepted: 0 },
    coverage: {
      complete: false,
      read: [
        { what: "ClusterGroupUpgrade", count: 1 },
        { what: "ImageDigestMirrorSet", count: 2 },
      ],
      unread: [{ what: "ConfigMap", count: 2, why: "kind" }],
      assumed: expect.arrayContaining([{ what: "image", text: "an empty Image" }]),
    },
  });
  expect({ stderr, exitCode }).toEqual({ stderr: counts, exitCode: 1 });
});

test("When SARIF is asked for, each code should be a rule with help, and each result have its region", async () => {
  const { stdout, exitCode } = await validate(["-f", "manifests", "-o", "sarif"]);
  const { version, runs } = JSON.parse(stdout);
  const [{ tool, results, invocations, properties }] = runs;
  expect({ version, exitCode }).toEqual({ version: "2.1.0", exitCode: 1 });
  expect(results[0]).toMatchObject({
    ruleId: "InvalidSource",
    level: "error",
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: "manifests/bad.yaml" },
          region: { startLine: 16, startColumn: 7 },
        },
      },
    ],
  });
  expect(invocations).toEqual([
    {
      executionSuccessful: true,
      toolExecutionNotifications: [
        { level: "note", message: { text: "Not read: ConfigMap (2): other kinds." } },
        { level: "note", message: { text: expect.stringMatching(/^Assumed: release /) } },
      ],
    },
  ]);
  expect(properties.coverage).toMatchObject({ complete: false, unread: [{ what: "ConfigMap", count: 2 }] });
  expect(tool.driver.informationUri).toBe(packageJson.homepage);
  expect(tool.driver.rules[results[0].ruleIndex]).toMatchObject({
    id: "InvalidSource",
    helpUri: "https://github.com/hubrelay/hubrelay/blob/main/docs/reference/issues.md#mirrors",
    help: { text: expect.stringMatching(/^A source is not a location .*\.$/) },
  });
});

test("When GitHub is asked for, each issue should be one workflow command, with reserved characters escaped", async () => {
  const { stdout, exitCode } = await validate(["-f", "strange", "-o", "github"]);
  expect(stdout).toMatch(
    /^::error file=strange\/100%25%2C a%3Ab\.yaml,line=7,col=7,title=hubrelay InvalidSource::ImageDigestMirrorSet\/bad [^\n]*\n::notice title=hubrelay coverage::Assumed: release [^\n]*\n$/,
  );
  expect(stdout).not.toContain("\u001b");
  expect(exitCode).toBe(1);
});

test("When it runs in a folder of a repository, reports should have paths of the repository", async () => {
  const cwd = join(folder.path, "repository/envs");
  const formats = ["github", "sarif", "junit"].map(async (format) => {
    const { stdout } = await hubrelay(["validate", "bad.yaml", "-o", format], { cwd });
    return stdout.match(/[\w/]+\.yaml/)?.[0];
  });
  expect(new Set(await Promise.all(formats))).toEqual(new Set(["envs/bad.yaml"]));
});

test("When JUnit is asked for, each object should be a test, and one with errors fail", async () => {
  const { stdout } = await validate(["-f", "manifests", "-o", "junit"]);
  expect(stdout).toContain('<testsuites name="hubrelay validate" tests="3" failures="1"');
  expect(stdout).toContain(
    '<testcase classname="ImageDigestMirrorSet" name="good" file="manifests/bad.yaml" time="0"></testcase>',
  );
  expect(stdout).toMatch(
    /name="bad" file="manifests\/bad\.yaml" line="16" time="0"><failure type="InvalidSource" message="invalid format for source &quot;quay\.io\/bad:v1&quot;">/,
  );
  expect(stdout).toMatch(/name="ztp\/upgrade" .*><system-out>.*\[PreCachingConfigMissing\].*<\/system-out>/);
  expect(stdout).toMatch(/<system-out>Not read: [^\n]*<\/system-out>\n {2}<\/testsuite>/);
  const broken = await validate(["-f", "broken.yaml", "-o", "junit"]);
  expect(broken.stdout).toContain(
    '<testcase classname="File" name="broken.yaml" file="broken.yaml" line="11"',
  );
});

describe("nothing to check", () => {
  test.for([
    ["-f none", "", "none has no file that ends in .yaml, .yml or .json"],
    ["-f comments", "", "comments has no objects"],
    ["-f -", "", "standard input has no objects"],
    ["-f foreign", "", "the 2 objects in 1 file are of kinds that hubrelay does not check (ConfigMap)"],
  ])("When it is %s, the reason should be one line, and exit code 2", async ([args = "", stdin, why]) => {
    const { stdout, stderr, exitCode } = await validate(args.split(" "), stdin);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toBe(
      `hubrelay: nothing to check: ${why}. Name other manifests, or allow it with --allow-empty.\n`,
    );
    const allowed = await validate([...args.split(" "), "--allow-empty"], stdin);
    expect(allowed.exitCode).toBe(0);
    expect(allowed.stderr).toMatch(/^0 objects checked in /);
  });

  const anObject = (kind: string, spec: string) =>
    `apiVersion: config.openshift.io/v1\nkind: ${kind}\nmetadata: {name: cluster}\nspec: ${spec}\n`;
  const rules = "[{source: a.example, mirrors: [m.example]}]";

  test.for([
    [
      "an ImageContentPolicy",
      anObject("ImageContentPolicy", `{repositoryDigestMirrors: ${rules}}`),
      "warning: .* nothing reads it. \\[KindWithoutEffect\\]",
      0,
    ],
    [
      "a mistyped kind",
      anObject("ImageDigestMirrorSets", `{imageDigestMirrors: ${rules}}`),
      "UnknownKind",
      1,
    ],
    [
      "a ConfigMap that the Image trusts",
      `${anObject("Image", "{additionalTrustedCA: {name: ca}}")}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ca, namespace: openshift-config}\ndata: {"m:1": x}\n`,
      "InvalidValue",
      1,
    ],
  ] as const)("When an object is %s, it should count as checked", async ([, stdin, issue, exitCode]) => {
    const result = await validate(["-f", "-"], stdin);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toMatch(new RegExp(issue));
    expect(result.stderr).toMatch(/\d objects? checked in 1 file, 0 ignored/);
    expect(result.stderr).not.toContain("Not read");
  });

  test("When what an object holds is not read, the reason should be that, whatever the command", async () => {
    for (const command of ["validate", "render"]) {
      const { stderr, exitCode } = await hubrelay([command, "-f", "holding"], { cwd: folder.path });
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(
        /^hubrelay: nothing to check\. Not read: ConfigurationPolicy\/ztp\/mirrors: a template decides it\. Name other/,
      );
    }
  });
});

const extra = { kind: "ConfigMap", name: "extra" };
const unread = { what: "ConfigMap/extra", why: "unreadable" };

test.for([
  ["unreadable", { code: "InvalidManifest", object: extra }, [unread]],
  ["authorities", { code: "TrustedCaNotApplied", object: { kind: "ConfigMap", name: "ca" } }, []],
  ["damaged", { code: "InvalidManifest", object: extra }, [unread]],
] as const)(
  "When the issue of a ConfigMap is $0, the ConfigMap should count as read",
  async ([folder, issue, unread]) => {
    const { stdout } = await validate(["-f", `inside/${folder}`, "-o", "json"]);
    const { issues, summary, coverage } = JSON.parse(stdout);
    expect({ issues, unread: coverage.unread, ignored: summary.ignored }).toMatchObject({
      issues: [issue],
      unread,
      ignored: 0,
    });
  },
);

test("When a template decides what a ConfigMap holds, it should not be unread for its kind as well", async () => {
  const { stdout } = await validate(["-f", "inside/template", "-o", "json"]);
  expect(JSON.parse(stdout).coverage.unread).toEqual([
    { what: "ConfigMap/extra", why: "template", count: 1 },
  ]);
});
