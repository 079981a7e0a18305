import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { emptyPlan, type Plan } from "#shared/domain/plan/plan.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import { issue } from "../../screen/fixtures.ts";
import { plainView } from "./plain-view.ts";

const held = (reason: string): Plan => ({
  ...emptyPlan,
  decisions: [{ subject: "worker", verdict: "held", reason }],
});
const found: Plan = { ...emptyPlan, issues: [issue] };
const failed: LogEntry = { event: "failed", key: "hub", error: "the disk is full" };
const written: LogEntry = { event: "written", key: "cluster", verb: "update", object: "A/a", reason: "x" };

/** Returns the labels and the beginnings of the lines that these entries and plans show. */
function shown(given: readonly (LogEntry | Plan)[]): readonly string[] {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: false });
  const view = plainView(stream as unknown as NodeJS.WriteStream);
  for (const one of given)
    if ("event" in one) view.log("mirror-config", one);
    else view.planned("mirror-config", "cluster", one);
  return String(stream.read() ?? "")
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [time = "", ...words] = line.split(/\s+/);
      expect(time).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
      return words.slice(0, 4).join(" ");
    });
}

test.for([
  {
    what: "a decision stays or changes",
    given: [held("x"), held("x"), held("y")],
    lines: ["change worker: held: x", "change worker: held: y"],
  },
  {
    what: "an issue stays, is gone and returns",
    given: [found, found, emptyPlan, found],
    lines: [
      "error ImageDigestMirrorSet/team spec",
      "fixed ImageDigestMirrorSet/team spec",
      "error ImageDigestMirrorSet/team spec",
    ],
  },
  {
    what: "a failure goes on and returns",
    given: [failed, failed, held("x"), failed],
    lines: ["failed hub: the disk", "change worker: held: x", "failed hub: the disk"],
  },
  {
    what: "a write is repeated before and after a change",
    given: [written, written, held("x"), written],
    lines: ["written update A/a (x)", "change worker: held: x", "written update A/a (x)"],
  },
])("When $what, the log should show $lines", ({ given, lines }) => {
  const beginnings = shown(given).map((line, index) => line.slice(0, lines[index]?.length));
  expect(beginnings).toEqual(lines);
});
