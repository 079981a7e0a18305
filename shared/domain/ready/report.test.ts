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

  test("When there are several statuses, the summary should count those that occur, and the bytes", () => {
    const { summary } = readyReport(images("ready", "missing", "ready"), 42, [], false);
    expect(summary).toEqual({ images: 3, bytes: 42, byStatus: { ready: 2, missing: 1 } });
  });

  test.for([
    { severity: "error", ready: false },
    { severity: "warning", ready: true },
  ] as const)(
    "When all images are there and an issue is a $severity, ready should be $ready",
    ({ severity, ready }) => {
      const about = {
        code: "ReleaseNotSigned",
        object: { kind: "Release", name: "4.20.4" },
        path: "",
      } as const;
      const issue: Issue = { ...about, severity, value: undefined, message: "", remedy: "" };
      const report = readyReport(images("ready"), 0, [issue], false);
      expect({ ready: report.ready, unasked: couldNotAsk(report, false) }).toEqual({ ready, unasked: false });
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
