import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const five = "quay.io/openshift-release-dev/ocp-v5.0-art-dev";
const third = "registry.example.com/third/party";
const release = "quay.io/openshift-release-dev/ocp-release";
const stream = {
  kind: "ImageStream",
  metadata: { name: "5.0.0" },
  spec: {
    tags: [five, third].map((repository, index) => ({
      name: `component-${index}`,
      from: { name: `${repository}@sha256:${String(index).repeat(64)}` },
    })),
  },
};
const blocking = (repository: string) => `apiVersion: config.openshift.io/v1
kind: Image
metadata: { name: cluster }
spec:
  registrySources:
    blockedRegistries: [${repository}]
`;

const policy = `apiVersion: operator.openshift.io/v1alpha1
kind: ImageContentSourcePolicy
metadata: { name: apps }
spec:
  repositoryDigestMirrors:
    - { source: quay.io/acme, mirrors: [registry.example.com/acme] }
`;

const rule = `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: { name: acme }
spec: { imageDigestMirrors: [{ source: quay.io/acme, mirrors: [registry.example.com/acme] }] }
`;

const folder = sharedFolder({
  "image-references": JSON.stringify(stream),
  "release-info.json": JSON.stringify({ digest: "sha256:0", references: stream }),
  "other.json": "{}",
  "none.conf": "",
  "policy.yaml": policy,
  "rule.yaml": rule,
});
const file = (name: string) => join(folder.path, name);

const referencesOf = (name: string) => ["--image-references", file(name)];
const is50 = ["--release-image", `${release}:5.0.0-x86_64`];

test.for<{ name: string; blocks: string; args: () => readonly string[]; exitCode: number }>([
  { name: "no release is given", blocks: five, args: () => [], exitCode: 0 },
  { name: "the release is one of OpenShift 5", blocks: five, args: () => is50, exitCode: 1 },
  {
    name: "the release is one of OpenShift 4",
    blocks: five,
    args: () => ["--release-image", `${release}:4.20.4-x86_64`],
    exitCode: 0,
  },
  { name: "only its image-references know", blocks: third, args: () => is50, exitCode: 0 },
  {
    name: "its image-references are given",
    blocks: third,
    args: () => [...is50, ...referencesOf("image-references")],
    exitCode: 1,
  },
  {
    name: "the output of oc adm release info is given",
    blocks: third,
    args: () => [...is50, ...referencesOf("release-info.json")],
    exitCode: 1,
  },
])(
  "When a repository of the payload is blocked and $name, it should exit $exitCode",
  async ({ blocks, args, exitCode }) => {
    const commands = [
      ["validate", "-f", "-"],
      ["render", "-f", "-"],
      ["explain", "quay.io/acme/app:v1", "-f", "-"],
      ["diff", file("none.conf"), "-"],
    ];
    for (const command of commands) {
      const result = await hubrelay([...command, ...args()], { stdin: blocking(blocks) });
      expect(result.exitCode).toBe(command[0] === "explain" ? 0 : exitCode);
      expect(result.stderr.includes("[PayloadUnreachable]")).toBe(exitCode === 1);
    }
  },
);

test.for<{ args: () => readonly string[]; says: string }>([
  { args: () => referencesOf("image-references"), says: "--image-references needs --release-image" },
  {
    args: () => [...is50, ...referencesOf("other.json")],
    says: "not the release-manifests/image-references",
  },
  { args: () => [...is50, ...referencesOf("absent")], says: "absent" },
  {
    args: () => ["--release-image", "ocp"],
    says: "argument 'ocp' is invalid. The image is not fully qualified.",
  },
  {
    args: () => ["--release-version", "new"],
    says: "argument 'new' is invalid. It must be a version such as 4.21.0.",
  },
])("When the options are wrong, it should say '$says' and exit 2", async ({ args, says }) => {
  const result = await hubrelay(["validate", "-f", "-", ...args()], { stdin: blocking(five) });
  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(says) });
});

test("When nodes would reject the release, convert --check should say so for the release that it is given", async () => {
  const stdin = blocking("x").replace(/blockedRegistries.*/, "allowedRegistries: [quay.io/acme]");
  const check = ["convert", "--check", "-f", "-", "-f", file("policy.yaml")];
  expect(await hubrelay(check, { stdin })).toMatchObject({ exitCode: 0, stderr: "" });
  const result = await hubrelay([...check, ...is50], { stdin });
  expect(result).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringContaining("PolicyScopeNotAllowed"),
  });
});

test("When convert does not check, it should refuse a release, which would have no effect", async () => {
  const result = await hubrelay(["convert", "-f", file("policy.yaml"), ...is50]);
  expect(result).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining("only with --check"),
  });
});

const clusterVersion = (state: string) => `---
apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: { name: version }
spec: {}
status:
  desired: { image: "quay.io/openshift-release-dev/ocp-release:4.19.1-x86_64", version: 4.19.1 }
  history:
    - { state: ${state}, version: 4.19.1 }
    - { state: Completed, version: 4.18.9 }
`;
const assumed = "no release is known: the form of 5.1 is assumed";
const line = "additional-layer-store-auth-helper";

test.for([
  {
    what: "an update runs",
    args: [],
    stdin: rule + clusterVersion("Partial"),
    hasLine: false,
    warns: false,
  },
  {
    what: "it is over",
    args: [],
    stdin: rule + clusterVersion("Completed"),
    hasLine: true,
    warns: false,
  },
  {
    what: "a version is given",
    args: ["--release-version", "4.18"],
    stdin: rule + clusterVersion("Completed"),
    hasLine: false,
    warns: false,
  },
  {
    what: "a release is given by tag",
    args: ["--release-image", "quay.io/openshift-release-dev/ocp-release:4.18.9-x86_64"],
    stdin: rule,
    hasLine: false,
    warns: false,
  },
  { what: "no release is known", args: [], stdin: rule, hasLine: true, warns: true },
])(
  "When $what, render should write the release's form, and say which it assumes",
  async ({ args, stdin, hasLine, warns }) => {
    const { stdout, stderr, exitCode } = await hubrelay(["render", "-f", "-", ...args], { stdin });
    expect([stdout.includes(line), stderr.includes(assumed), exitCode]).toEqual([hasLine, warns, 0]);
  },
);

test.for([
  { of: "4.18.9", version: "3.4.0" },
  { of: "4.20.1", version: "3.5.0" },
])("When the MachineConfig of $of is rendered, it should have Ignition $version", async ({ of, version }) => {
  const args = ["-o", "machine-config", "--format", "json", "--release-version", of];
  const { stdout } = await hubrelay(["render", "-f", "-", ...args], { stdin: rule });
  expect(JSON.parse(stdout).spec.config.ignition).toEqual({ version });
});

test("When no release is known, validate, explain and diff should say which they assume as well", async () => {
  const path = file("rule.yaml");
  const results = await Promise.all([
    hubrelay(["validate", "-f", path]),
    hubrelay(["explain", `quay.io/acme/app@sha256:${"a".repeat(64)}`, "-f", path]),
    hubrelay(["diff", path, path]),
  ]);
  for (const { stdout, stderr } of results) expect(stdout + stderr).toMatch(/^Assumed: release 5\.1/m);
});

test("When a list rejects OpenShift's repositories, validate should warn only while the release is not known", async () => {
  const args = ["validate", "-f", "-"];
  const stdin = blocking("quay.io");
  const unknown = await hubrelay(args, { stdin });
  expect(unknown.stderr).toMatch(/^stdin:6:25: warning: .*\[AssumedPayloadRejected\]$/m);
  expect(unknown.exitCode).toBe(0);
  const known = await hubrelay(
    [...args, "--release-image", `registry.example.com/ocp@sha256:${"0".repeat(64)}`],
    { stdin },
  );
  expect(known.stderr).not.toContain("AssumedPayloadRejected");
});
