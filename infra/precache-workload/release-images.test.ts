import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { excludePatternProblem } from "#shared/domain/precache/model/exclude-patterns.ts";
import { readTermination } from "../../test/support/precache/termination.ts";
import { finished } from "../command.ts";

/** The workload's steps about patterns, without a node. */
const steps = `
set -uo pipefail
work=$PWD
source "$FOLDER/settings.sh"; source "$FOLDER/end.sh"; source "$FOLDER/release-images.sh"
stop_reporting() { :; }; report_progress() { :; }; clear_node() { :; }
termination_log=$PWD/termination
check_patterns "$work/patterns"
leave_out "$work/patterns"
`;

const defaultPayload = [`"aws-driver$quay.io/ocp@sha256:1"`, `"cli$quay.io/ocp@sha256:2"`];

type Given = Readonly<{ patterns: readonly string[]; payload?: readonly string[]; env?: NodeJS.ProcessEnv }>;

async function leaveOut({ patterns, payload = defaultPayload, env }: Given) {
  await using folder = await mkdtempDisposable(join(tmpdir(), "leave-out-"));
  const file = (name: string) => join(folder.path, name);
  await writeFile(file("patterns"), patterns.map((pattern) => `${pattern}\n`).join(""));
  await writeFile(file("payload"), payload.map((line) => `${line}\n`).join(""));
  const options = { cwd: folder.path, env: { ...process.env, FOLDER: import.meta.dirname, ...env } };
  const { code, stderr } = await finished("bash", ["-c", steps], options);
  const left = (await readFile(file("payload"), "utf8")).split("\n").filter(Boolean);
  const message = await readFile(file("termination"), "utf8").catch(() => "");
  return { code, stderr, left, termination: readTermination(message) };
}

const refused = (detail: string) => ({ reason: "InvalidConfiguration", image: "", detail });

test("When patterns match some images of the release, the others should remain", async () => {
  const { code, left, stderr } = await leaveOut({ patterns: ['^"aws', "azure"] });
  expect(code, stderr).toBe(0);
  expect(left).toEqual(defaultPayload.slice(1));
});

test.for([
  {
    what: "every image",
    patterns: ["quay"],
    detail: "excludePrecachePatterns leave no image of the release",
  },
  {
    what: "more memory than the limit",
    patterns: ["aws", "x\\{1,32767\\}"],
    detail: 'excludePrecachePatterns: "x\\{1,32767\\}": grep takes more than 512 MiB of memory for it ',
  },
])("When the patterns take $what, the run should end with the reason", async ({ patterns, detail }) => {
  const { code, termination, stderr } = await leaveOut({ patterns });
  expect(code, stderr).toBe(10);
  expect(termination).toEqual(refused(detail));
});

test("When a pattern takes longer than the limit, the run should end with the reason", async () => {
  const { code, termination, stderr } = await leaveOut({
    patterns: ["\\(x*\\)\\(x*\\)\\(x*\\)\\(x*\\)\\4\\3\\2\\1y\\1y"],
    payload: [`y${"x".repeat(400)}y`],
    env: { GREP_SECONDS: "1" },
  });
  expect(code, stderr).toBe(10);
  expect(termination).toEqual(refused("excludePrecachePatterns: grep takes more than 1 s for it "));
});

test("When planning accepts a pattern, the node's grep should have the memory and time for it", async () => {
  const patterns = [
    "x\\{0,255\\}y\\{0,255\\}",
    "\\(x\\{0,25\\}\\)\\{0,40\\}",
    ".\\{1,10\\}\\{1,10\\}\\{1,10\\}",
  ];
  expect(patterns.map(excludePatternProblem)).toEqual(patterns.map(() => undefined));
  const { code, termination, stderr } = await leaveOut({ patterns: patterns.map((one) => `z${one}z`) });
  expect([code, termination], stderr).toEqual([0, {}]);
});
