import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Claim, Row } from "../claim.ts";
import { elapsedOf } from "../measure.ts";

const run = promisify(execFile);
const checkout = join(import.meta.dirname, "../..");
const ownFile = `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: mine
spec:
  imageDigestMirrors:
    - source: quay.io/acme
      mirrors: [mirror.example.com/acme]
`;

const steps = [
  { subject: "a fresh clone, npm ci and npm start -- --once: the first result", seconds: 60 },
  { subject: "then hubrelay validate -f with an own file", seconds: 5 },
  { subject: "then npm start: a cluster of the fleet pulls on the screen", seconds: 10 },
] as const;

export const firstMinutes: Claim = {
  name: "first-minutes",
  goal: "a newcomer has the first result of a fresh clone within a minute, with npm's downloads; an own file is checked within 5 seconds, a fleet is on the screen within 10",
  async run() {
    await using folder = await mkdtempDisposable(join(tmpdir(), "hubrelay-newcomer-"));
    const clone = join(folder.path, "hubrelay");
    const inClone = (command: string, ...args: readonly string[]) => run(command, args, { cwd: clone });
    const installMs = await elapsedOf(async () => {
      await run("git", ["clone", "--quiet", checkout, clone]);
      await inClone("npm", "ci");
    });
    const firstMs = installMs + (await elapsedOf(() => inClone("npm", "start", "--", "--once")));
    const elapsedMs = [
      firstMs,
      await elapsedOf(async () => {
        await writeFile(join(clone, "mine.yaml"), ownFile);
        await inClone("npx", "--no-install", "hubrelay", "validate", "-f", "mine.yaml");
      }),
      await elapsedOf(() => untilPulling(clone)),
    ];
    const beside: Row = {
      subject: steps[0].subject,
      against: "the clone and npm ci alone",
      ratio: firstMs / installMs,
      measures: "wall time",
      numbers: { elapsedMs: firstMs, installMs },
    };
    const rows = steps.map(({ subject, seconds }, index): Row => {
      const ms = elapsedMs[index] ?? 0;
      return {
        subject,
        against: `${seconds} s`,
        ratio: ms / (seconds * 1000),
        measures: "wall time",
        goal: { atMost: 1 },
        numbers: { elapsedMs: ms },
      };
    });
    return [beside, ...rows];
  },
};

async function untilPulling(clone: string): Promise<void> {
  await rm(join(clone, "hub"), { recursive: true, force: true });
  const command = "stty cols 120 rows 40; exec npm start";
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd: clone,
    env: { ...process.env, TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = once(child, "close");
  let shown = "";
  for await (const output of child.stdout) {
    shown += output;
    if (/pulling\S* +\d+s +\d+\/190/.test(shown)) break;
  }
  child.stdin.end("\u0003");
  child.stdout.resume();
  await ended;
}
