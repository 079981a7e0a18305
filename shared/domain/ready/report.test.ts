import { describe, expect, test } from "vitest";
import type { Issue } from "../issues/issue.ts";
import { couldNotAsk, readyReport } from "./report.ts";

describe("readyReport", () => {
  const images = (...statuses: readonly ("ready" | "source-only" | "unreachable" | "missing")[]) =>
    statuses.map((status, index) => ({ image: `${index}`, status, from: null, bytes: null, tried: [] }));

  test.for([
    { statuses: ["ready", "source-only"], isDisconnected: false, ready: true, unasked: false },
    { statuses: ["ready", "source-only"], isDisconnected: true, ready: false, unasked: false },
    { statuses: ["ready", "unreachable"], isDisconnected: false, ready: false, unasked: true },
    { statuses: ["missing", "unreachable"], isDisconnected: false, ready: false, unasked: false },
    { statuses: [], isDisconnected: false, ready: true, unasked: false },
  ] as const)(
    "When images are $statuses and disconnected is $isDisconnected, ready should be $ready",
    ({ statuses, isDisconnected, ready, unasked }) => {
      const report = readyReport(images(...statuses), 0, [], isDisconnected);
      expect({ ready: report.ready, unasked: couldNotAsk(report, isDisconnected) }).toEqual({
        ready,
        unasked,
      });
    },
  );

  test.for([
    { code: "ReleaseUnreadable", unasked: true },
    { code: "CatalogUnreadable", unasked: true },
    { code: "CatalogEntryMissing", unasked: false },
    { code: "ReleaseNotSigned", unasked: false },
    { code: "UnreadableImageName", unasked: false },
  ] as const)(
    "When a registry is unreachable and $code is an error as well, that nobody could be asked should be $unasked",
    ({ code, unasked }) => {
      const issue: Issue = {
        code,
        severity: "error",
        object: { kind: "Image", name: "a" },
        path: "",
        value: undefined,
        message: "",
        remedy: "",
      };
      const warning: Issue = { ...issue, code: "ReleaseNotSigned", severity: "warning" };
      expect(couldNotAsk(readyReport(images("unreachable"), 0, [issue, warning], true), true)).toBe(unasked);
    },
  );
});
