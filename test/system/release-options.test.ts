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
  "none.yaml": "",
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
    name: "its image-references are given",
    blocks: third,
    args: () => [...is50, ...referencesOf("image-references")],
    exitCode: 1,
  },
])(
  "When a repository of the payload is blocked and $name, it should exit $exitCode",
  async ({ blocks, args, exitCode }) => {
    const commands = [
      ["validate", "-f", "-"],
      ["render", "-f", "-"],
      ["explain", "quay.io/acme/app:v1", "-f", "-"],
      ["diff", file("none.yaml"), "-"],
    ];
    for (const command of commands) {
      const result = await hubrelay([...command, ...args()], { stdin: blocking(blocks) });
      expect(result.exitCode).toBe(command[0] === "explain" ? 0 : exitCode);
      expect(result.stderr.includes("[PayloadUnreachable]")).toBe(exitCode === 1);
    }
  },
);

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
