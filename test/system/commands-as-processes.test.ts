import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import pMap from "p-map";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded-sqs/embedded-messaging.ts";
import { commandFile } from "../support/processes/command-file.ts";
import { environmentOf, queueUrlsAt } from "../support/processes/deployment.ts";
import { because } from "../support/setup/skipped-tests.ts";
import { sharedFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay as asProcess, type CommandResult, environmentWith } from "./cli.ts";
import { hubrelay as inProcess } from "./cli-in-process.ts";

const examples = fileURLToPath(new URL("../../examples/hub", import.meta.url));
const image = `quay.io/ns/app@sha256:${"a".repeat(64)}`;
const now = ["--now", "2026-03-01T02:00:00Z"];
const policy = `apiVersion: operator.openshift.io/v1alpha1
kind: ImageContentSourcePolicy
metadata: {name: acme}
spec: {repositoryDigestMirrors: [{source: quay.io/acme, mirrors: [mirror.example.com/acme]}]}
`;

/** Every command but those that run until they are ended, of which some have process tests of their own. */
const commands: readonly Readonly<{ args: readonly string[]; stdin?: string; exitCode: number }>[] = [
  { args: [], exitCode: 2 },
  { args: ["version"], exitCode: 0 },
  { args: ["completion", "bash"], exitCode: 0 },
  { args: ["complete", "--", "hosted", "-"], exitCode: 0 },
  { args: ["validate", "-f", examples], exitCode: 1 },
  { args: ["render", "-f", examples, "-o", "machine-config"], exitCode: 1 },
  { args: ["explain", image, "-f", examples], exitCode: 0 },
  { args: ["diff", examples, "-", ...now], stdin: policy, exitCode: 0 },
  { args: ["convert", "-f", "-", "--check"], stdin: policy, exitCode: 0 },
  { args: ["config"], exitCode: 0 },
  { args: ["hosted", "-f", examples], exitCode: 0 },
  { args: ["hosted", "explain", image, "-f", examples], exitCode: 0 },
  { args: ["import", examples, "-f", "-"], stdin: policy, exitCode: 1 },
  { args: ["ready", "-f", "-", "--image", "https://quay.io/a"], stdin: policy, exitCode: 1 },
  { args: ["verify", "-f", examples], exitCode: 1 },
  { args: ["doctor"], exitCode: 1 },
  { args: ["precache", "plan", "-f", examples], exitCode: 0 },
  { args: ["precache", "status", "-f", examples], exitCode: 0 },
  { args: ["precache", "retry", "default/upgrade", "--all"], exitCode: 2 },
  { args: ["precache", "check", "default/upgrade", "--no-wait"], exitCode: 2 },
  { args: ["windows", "-f", examples, ...now], exitCode: 0 },
  { args: ["dlq", "list"], exitCode: 0 },
  { args: ["dlq", "replay", "--all"], exitCode: 2 },
  { args: ["console", "--address", "0.0.0.0"], exitCode: 2 },
  { args: ["resync", "--function", "nonsense"], exitCode: 2 },
];

const queues = ["mirror-configs"];
const directory = sharedFolder();
let messaging: EmbeddedMessaging;
let variables: Readonly<Record<string, string>>;
let asProcesses: readonly CommandResult[];
beforeAll(async () => {
  messaging = await startEmbeddedMessaging({ queues, topic: "outcomes" });
  const { endpoint, topicArn } = messaging;
  variables = {
    ...environmentOf(endpoint, directory.path, topicArn),
    HUBRELAY_QUEUE_URLS: queueUrlsAt(endpoint, queues),
  };
  // Beside each other, since several of them mostly wait.
  asProcesses = await pMap(commands, ({ args, stdin = "" }) => asProcess(args, { stdin, variables }), {
    concurrency: 4,
  });
}, 120_000);
afterAll(() => messaging.stop());

test.for(commands.map((command, index) => ({ ...command, index })))(
  "When hubrelay $args runs as a process, it should do what it does in the process of a test",
  async ({ args, stdin = "", exitCode, index }) => {
    const result = asProcesses[index];
    expect(result).toMatchObject({ exitCode });
    expect(result).toEqual(await inProcess(args, { stdin, variables }));
  },
);

test("When the reader of the output closes the pipe, a command should end quietly, as one that SIGPIPE ends", async () => {
  const sets = Array.from({ length: 500 }, (_, index) => policy.replaceAll("acme", `acme${index}`));
  const child = spawn(process.execPath, [commandFile, "render", "-f", "-", "-o", "json"], {
    env: environmentWith({}),
  });
  const [exitCode, stderr] = await new Promise<readonly [number | null, string]>((resolve) => {
    const errors = text(child.stderr);
    child.once("close", (code) => errors.then((printed) => resolve([code, printed])));
    child.stdout.once("data", () => child.stdout.destroy());
    child.stdin.end(sets.join("---\n"));
  });
  expect({ exitCode, stacks: stderr.match(/ {4}at /g) }).toEqual({ exitCode: 141, stacks: null });
});

const whyNoFullDisk = existsSync("/dev/full") ? "" : "this system has no /dev/full";

test.skipIf(whyNoFullDisk).for([
  {
    stdio: ["ignore", "full", "pipe"],
    says: "hubrelay: standard output cannot be written: no space left on device\n",
  },
  { stdio: ["ignore", "full", "full"], says: "" },
] as const)(
  "When the disk of the streams $stdio is full, it should say so in one line and exit with 2",
  because(whyNoFullDisk),
  async ({ stdio, says }) => {
    const full = openSync("/dev/full", "w");
    try {
      const child = spawn(process.execPath, [commandFile, "version"], {
        env: environmentWith({}),
        stdio: stdio.map((stream) => (stream === "full" ? full : stream)),
      });
      const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
      const stderr = child.stderr ? await text(child.stderr) : "";
      expect({ stderr, exitCode: await exit }).toEqual({ stderr: says, exitCode: 2 });
    } finally {
      closeSync(full);
    }
  },
);
