import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/setup/temporary-folder.ts";
import { alarmVerdict, type InspectedQueue, queueVerdict, timeZoneVerdict } from "./environment-rows.ts";

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

const day = 86_400;
const to = "prod-mirror-configs-dead-letters";
const aQueue = (queue: Partial<InspectedQueue["queue"]>, letters: Partial<InspectedQueue["queue"]> = {}) => ({
  queue: {
    name: "prod-mirror-configs",
    visibilityTimeoutSeconds: 190,
    retentionSeconds: 4 * day,
    redrive: { deadLetters: to, maxReceiveCount: 10 },
    visible: 3,
    ...queue,
  },
  deadLetters: {
    ...{ name: to, visibilityTimeoutSeconds: 30, retentionSeconds: 14 * day, redrive: undefined, visible: 0 },
    ...letters,
  },
});
const early = { redrive: { deadLetters: to, maxReceiveCount: 4 } };
const kept = { retentionSeconds: undefined };

test.for<readonly [string, InspectedQueue, number, string, string]>([
  ["is correct", aQueue({}), 30, "ok", "dead letters after 10 receives"],
  ["has no redrive policy", aQueue({ redrive: undefined }), 30, "problem", "no dead-letter queue"],
  ["gives up too early", aQueue(early), 30, "note", "gives up after 4 receives"],
  ["shows messages too early", aQueue({ visibilityTimeoutSeconds: 179 }), 30, "note", "again after 179 s"],
  ["has batches of two minutes", aQueue({}), 120, "note", "again after 190 s"],
  ["outlives its dead letters", aQueue({}, { retentionSeconds: 4 * day }), 30, "note", "no longer than"],
  ["is on a server that keeps every message", aQueue(kept, kept), 30, "ok", "dead letters after 10"],
  ["has dead letters", aQueue({}, { visible: 2 }), 30, "note", `${to} has 2 dead letters`],
])("When a queue %s, doctor should say so", ([, inspected, timeoutSeconds, state, says]) => {
  const { remedy, ...verdict } = queueVerdict(timeoutSeconds, inspected);
  expect(verdict).toEqual({ state, found: expect.stringContaining(says) });
  expect(remedy === undefined).toBe(state === "ok");
});

test("When the alarm topic has no subscriber, doctor should say that nobody gets the alarms", () => {
  expect(alarmVerdict(1)).toEqual({ state: "ok", found: "The alarm topic has 1 confirmed subscriber." });
  const remedy = expect.stringContaining("--param alarmEmail=MAILBOX");
  expect(alarmVerdict(0)).toEqual({ state: "note", found: expect.stringContaining("nobody gets"), remedy });
});
