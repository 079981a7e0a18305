import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const release = "quay.io/openshift-release-dev/ocp-release";
const blocking = `apiVersion: config.openshift.io/v1
kind: Image
metadata: { name: cluster }
spec:
  registrySources:
    blockedRegistries: [quay.io/openshift-release-dev/ocp-v5.0-art-dev]
`;

const folder = sharedFolder({ "none.yaml": "" });

const is50 = ["--release-image", `${release}:5.0.0-x86_64`];

test.for([
  { name: "no release is given", args: [], exitCode: 0 },
  { name: "the release is one of OpenShift 5", args: is50, exitCode: 1 },
])(
  "When a repository of the payload is blocked and $name, it should exit $exitCode",
  async ({ args, exitCode }) => {
    const commands = [
      ["validate", "-f", "-"],
      ["render", "-f", "-"],
      ["explain", "quay.io/acme/app:v1", "-f", "-"],
      ["diff", join(folder.path, "none.yaml"), "-"],
    ];
    for (const command of commands) {
      const result = await hubrelay([...command, ...args], { stdin: blocking });
      expect(result.exitCode).toBe(command[0] === "explain" ? 0 : exitCode);
      expect(result.stderr.includes("[PayloadUnreachable]")).toBe(exitCode === 1);
    }
  },
);
