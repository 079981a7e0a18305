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

const folder = sharedFolder({
  "image-references": JSON.stringify(stream),
  "none.yaml": "",
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
