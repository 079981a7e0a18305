import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/setup/temporary-folder.ts";
import { changeSignals } from "./change-signals.ts";

/** The longest delay of a timer, 24 days: without file events, these tests would wait that long for the next poll. */
const never = 2 ** 31 - 1;

let root = "";
let signals: ReturnType<typeof changeSignals>;
beforeEach(async () => {
  root = await temporaryFolder();
  mkdirSync(join(root, ".hubrelay"));
  mkdirSync(join(root, "team"));
  writeFileSync(join(root, "team/a.yaml"), "a: 1\n");
  signals = changeSignals(root);
});
afterEach(() => {
  signals.close();
});

/** Watches these directories, with nothing else to wait for; returns the count of the signals so far. */
async function observed(...directories: readonly string[]): Promise<number> {
  const before = signals.count();
  signals.observe(directories, never);
  await signals.next(before);
  signals.observe(directories, never);
  return signals.count();
}

test.for<readonly [string, () => void]>([
  ["a file is added", () => writeFileSync(join(root, "b.yaml"), "b: 1\n")],
  ["a file is added in a subfolder", () => writeFileSync(join(root, "team/b.yaml"), "b: 1\n")],
  ["a file is edited in place", () => writeFileSync(join(root, "team/a.yaml"), "a: 2\n")],
  ["a file is deleted", () => rmSync(join(root, "team/a.yaml"))],
  ["a folder is added", () => mkdirSync(join(root, "new/deeper"), { recursive: true })],
  ["another process writes to the index", () => writeFileSync(join(root, ".hubrelay/index.db-wal"), "x")],
])("When %s, it should signal at once, without waiting for the poll", async ([, change]) => {
  const count = await observed("", "team");
  change();
  await signals.next(count);
  expect(signals.filesAt()).toBeGreaterThan(count);
});

test("When a folder is watched for the first time, it should signal once, since it may have changed before", async () => {
  const count = await observed("");
  signals.observe(["", "team"], never);
  await signals.next(count);
  expect(signals.filesAt()).toBe(count + 1);
});
