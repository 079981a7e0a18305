import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { QueueSettings } from "#shared/adapters/sqs/queue-settings.ts";
import { temporaryFolder } from "../../../../test/support/setup/temporary-folder.ts";
import { alarmVerdict, queueVerdict, timeZoneVerdict } from "./environment-rows.ts";

test("When time zone data are Node's own, a folder's or damaged, the check should say so", async () => {
  const [empty, full] = [await temporaryFolder(), await temporaryFolder()];
  const file = join(full, "zoneinfo64.res");
  await writeFile(file, "");
  const verdict = (folder: string | undefined, version: string) =>
    timeZoneVerdict({ ICU_TIMEZONE_FILES_DIR: folder }, version);
  expect(verdict(undefined, "2026c")).toEqual({ state: "ok", found: "Time zone data 2026c, from Node.js." });
  expect(verdict(empty, "2026c").found).toContain("from Node.js.");
  expect(verdict(full, "2026f").found).toBe(`Time zone data 2026f, from ${file}.`);
  const remedy = `Replace the files in ${full}, or unset ICU_TIMEZONE_FILES_DIR.`;
  expect(verdict(full, "")).toMatchObject({ state: "problem", remedy });
});

const aQueue = (queue: Partial<QueueSettings>): QueueSettings => ({
  name: "prod-mirror-configs",
  visibilityTimeoutSeconds: 190,
  redrive: { deadLetters: "prod-mirror-configs-dead-letters", maxReceiveCount: 10 },
  ...queue,
});
const early = { redrive: { deadLetters: "letters", maxReceiveCount: 4 } };

test.for<readonly [string, QueueSettings, number, string, string]>([
  ["is correct", aQueue({}), 30, "ok", "receives in prod-mirror-configs-dead-letters."],
  ["has no redrive policy", aQueue({ redrive: undefined }), 30, "problem", "no dead-letter queue"],
  ["gives up too early", aQueue(early), 30, "note", "gives up after 4 receives"],
  ["shows messages too early", aQueue({ visibilityTimeoutSeconds: 179 }), 30, "note", "again after 179 s"],
  ["has batches of two minutes", aQueue({}), 120, "note", "again after 190 s"],
])("When a queue %s, doctor should say so", ([, queue, timeoutSeconds, state, says]) => {
  const { remedy, ...verdict } = queueVerdict(timeoutSeconds, queue);
  expect(verdict).toEqual({ state, found: expect.stringContaining(says) });
  expect(remedy === undefined).toBe(state === "ok");
});

test("When the alarm topic has no subscriber, doctor should say that nobody gets the alarms", () => {
  expect(alarmVerdict(1)).toEqual({ state: "ok", found: "The alarm topic has 1 confirmed subscriber." });
  const remedy = expect.stringContaining("--param alarmEmail=MAILBOX");
  expect(alarmVerdict(0)).toEqual({ state: "note", found: expect.stringContaining("nobody gets"), remedy });
});
