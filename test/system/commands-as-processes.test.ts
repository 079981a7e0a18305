import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type EmbeddedMessaging,
  startEmbeddedMessaging,
} from "#shared/adapters/embedded/embedded-messaging.ts";
import { environmentOf, queueUrlsAt } from "../support/processes/deployment.ts";
import { hubrelay as asProcess, type CommandOptions } from "./cli.ts";
import { hubrelay as inProcess } from "./cli-in-process.ts";

const examples = fileURLToPath(new URL("../../examples/hub", import.meta.url));
const image = `quay.io/ns/app@sha256:${"a".repeat(64)}`;
const now = ["--now", "2026-03-01T02:00:00Z"];
const policy = `apiVersion: operator.openshift.io/v1alpha1
kind: ImageContentSourcePolicy
metadata: {name: acme}
spec: {repositoryDigestMirrors: [{source: quay.io/acme, mirrors: [mirror.example.com/acme]}]}
`;

/** Every command but those that run until they are ended, of which here is a usage error. */
const commands: readonly Readonly<{ args: readonly string[]; stdin?: string; exitCode: number }>[] = [
  { args: [], exitCode: 2 },
  { args: ["--help"], exitCode: 0 },
  { args: ["--version"], exitCode: 0 },
  { args: ["nonsense"], exitCode: 2 },
  { args: ["validate", "-f", examples], exitCode: 1 },
  { args: ["validate", "-f", "-"], stdin: policy, exitCode: 0 },
  { args: ["validate"], exitCode: 2 },
  { args: ["render", "-f", examples, "-o", "machine-config"], exitCode: 1 },
  { args: ["explain", image, "-f", examples], exitCode: 1 },
  { args: ["diff", examples, "-", ...now], stdin: policy, exitCode: 1 },
  { args: ["convert", "-f", "-", "--check"], stdin: policy, exitCode: 0 },
  { args: ["hosted", "-f", examples], exitCode: 1 },
  { args: ["hosted", "explain", image, "-f", examples], exitCode: 1 },
  { args: ["verify", "-f", examples], exitCode: 1 },
  { args: ["doctor"], exitCode: 1 },
  { args: ["precache", "plan", "-f", examples], exitCode: 0 },
  { args: ["precache", "status", "-f", examples], exitCode: 0 },
  { args: ["precache", "retry", "default/upgrade", "--all"], exitCode: 2 },
  { args: ["windows", "-f", examples, ...now], exitCode: 0 },
  { args: ["dlq", "list"], exitCode: 0 },
  { args: ["dlq", "show", "nonsense"], exitCode: 2 },
  { args: ["dlq", "replay", "--all"], exitCode: 0 },
  { args: ["dev", "--simulate", "0"], exitCode: 2 },
  { args: ["forward", "--function", "nonsense"], exitCode: 2 },
  { args: ["work", "--function", "nonsense"], exitCode: 2 },
  { args: ["resync", "--function", "nonsense"], exitCode: 2 },
];

test("When the reader of the output ends first, the command should end quietly, as if by SIGPIPE", async () => {
  const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
  const child = spawn(process.execPath, [main, "validate", "-f", examples, "-o", "json"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect(exitCode).toBe(141);
  expect(stderr).not.toMatch(/EPIPE|at /);
});

const queues = ["mirror-configs"];
let directory: string;
let messaging: EmbeddedMessaging;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "hubrelay-commands-"));
  messaging = await startEmbeddedMessaging({ queues, topic: "outcomes" });
});
afterAll(async () => {
  await messaging.stop();
  await rm(directory, { recursive: true });
});

test.for(commands)(
  "When hubrelay $args runs as a process, it should do what it does in the process of a test",
  async ({ args, stdin = "", exitCode }) => {
    const { endpoint, topicArn } = messaging;
    const variables = {
      ...environmentOf(endpoint, directory, topicArn),
      HUBRELAY_QUEUE_URLS: queueUrlsAt(endpoint, queues),
    };
    const options: CommandOptions = { stdin, variables };
    const result = await asProcess(args, options);
    expect(result).toMatchObject({ exitCode });
    expect(result).toEqual(await inProcess(args, options));
  },
);
