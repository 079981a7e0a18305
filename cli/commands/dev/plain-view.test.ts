import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { LogEntry } from "#shared/ports/log.ts";
import { issue } from "../../screen/fixtures.ts";
import { plainView } from "./plain-view.ts";

const event = (subject: string): LogEntry => ({
  event: "event-received",
  type: "dev.knative.apiserver.ref.update",
  subject,
  messageId: "1",
});
const decided = (reason: string): LogEntry => ({
  event: "decided",
  key: "cluster",
  subject: "worker",
  verdict: "held",
  reason,
});
const found: LogEntry = { event: "issue", key: "cluster", issue };
const reconciled: LogEntry = { event: "reconciled", key: "cluster", messages: 1, durationMs: 1, ageMs: 1 };
const failed: LogEntry = { event: "failed", key: "hub", error: "the disk is full" };
const handled: LogEntry = { event: "handled", messages: 1, failed: 0 };

/** Returns the labels and the beginnings of the lines that these entries show. */
function shown(entries: readonly LogEntry[]): readonly string[] {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: false });
  const log = plainView(stream as unknown as NodeJS.WriteStream).logOf("mirror-config");
  for (const entry of entries) log(entry);
  return String(stream.read() ?? "")
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [time = "", ...words] = line.split(/\s+/);
      expect(time).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
      return words.slice(0, 3).join(" ");
    });
}

test.for([
  {
    what: "an event changes nothing",
    entries: [event("IDMS/a"), decided("x"), handled, event("IDMS/b"), decided("x"), handled],
    lines: ["event update IDMS/a", "decided worker: held:"],
  },
  {
    what: "an event changes a decision",
    entries: [event("IDMS/a"), decided("x"), handled, event("IDMS/b"), decided("y"), handled],
    lines: ["event update IDMS/a", "decided worker: held:", "event update IDMS/b", "decided worker: held:"],
  },
  {
    what: "an issue stays",
    entries: [found, reconciled, handled, found, found, reconciled, handled],
    lines: ["error ImageDigestMirrorSet/team spec"],
  },
  {
    what: "the same failure returns",
    entries: [failed, failed, event("IDMS/a"), decided("x"), failed],
    lines: ["failed hub: the", "event update IDMS/a", "decided worker: held:", "failed hub: the"],
  },
  {
    what: "an issue returns",
    entries: [found, reconciled, reconciled, found, reconciled],
    lines: ["error ImageDigestMirrorSet/team spec", "error ImageDigestMirrorSet/team spec"],
  },
])("When $what, the log should show $lines", ({ entries, lines }) => {
  expect(shown(entries)).toEqual(lines);
});
