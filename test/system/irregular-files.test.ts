import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandFile } from "../support/processes/command-file.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

const idms = `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: a}
spec: {imageDigestMirrors: [{source: quay.io/acme, mirrors: [mirror.example.com/acme]}]}
`;
const folder = sharedFolder({ "hub/a.yaml": idms, "etc/keep.txt": "" });

const render = "render -f hub -o files --dir";

test.for([
  { name: "an output folder", command: `${render} PIPE` },
  { name: "a parent of an output folder", command: `${render} PIPE/out` },
  { name: "a file of -f", command: "validate -f PIPE" },
  { name: "oc-mirror's workspace", command: "import PIPE" },
  { name: "the hub of dev", command: "dev --hub PIPE" },
  { name: "what dev begins with", command: "dev --hub new --from PIPE" },
  { name: "a pull secret", command: "ready -f hub --image quay.io/acme/app:1 --pull-secret PIPE" },
  { name: "an update graph", command: "precache plan -f hub --update-graph PIPE" },
  { name: "a kubeconfig", command: "windows --kubeconfig PIPE" },
])(
  "When $name is a pipe without a writer, the command should end with an error",
  async ({ command }, { task }) => {
    const pipe = `${task.id}.pipe`;
    execFileSync("mkfifo", [join(folder.path, pipe)]);
    const args = command.replace("PIPE", pipe).split(" ");
    const { exitCode, stderr } = await hubrelay(args, { cwd: folder.path, stdin: "" });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(pipe) });
  },
);

test("When the shell makes a pipe of a command, it should be read like a file", () => {
  const script = `"${process.execPath}" "${commandFile}" render -f <(cat hub/a.yaml) -o machine-config`;
  const stdout = execFileSync("bash", ["-c", script], { cwd: folder.path, encoding: "utf8" });
  expect(stdout).toContain("99-worker-generated-registries");
});
