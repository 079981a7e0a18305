import { expect, test } from "vitest";
import { aWindow, windowObject } from "./fixtures.ts";
import { allowedText, listWindow } from "./listed-window.ts";
import { wallClock } from "./zone.ts";

const now = new Date("2026-02-01T12:00:00Z");

test("When a window can be read, it should be listed with as many openings as requested", () => {
  const listed = listWindow(windowObject(), now, 2);
  expect(listed).toMatchObject({ namespace: "fleet", name: "night", issues: [], window: { name: "night" } });
  expect(listed.openings).toEqual([
    { start: new Date("2026-02-02T01:00:00Z"), end: new Date("2026-02-02T03:30:00Z") },
    { start: new Date("2026-02-03T01:00:00Z"), end: new Date("2026-02-03T03:30:00Z") },
  ]);
});

test("When a window is invalid, it should be listed without openings and with the reason", () => {
  expect(listWindow(windowObject({ duration: "0h" }), now, 2)).toEqual({
    namespace: "fleet",
    name: "night",
    openings: [],
    issues: [expect.objectContaining({ severity: "error", path: "spec.duration" })],
  });
});

test("When a window has a version that is not served, it should be listed without openings and with that alone", () => {
  const { issues, ...listed } = listWindow(
    { ...windowObject({ duration: "0h" }), apiVersion: "hubrelay.dev/v1" },
    now,
    2,
  );
  expect(listed).toEqual({ namespace: "fleet", name: "night", openings: [] });
  expect(issues.map(({ path }) => path)).toEqual(["apiVersion"]);
});

test.for([
  { allow: undefined, text: "pre-caching" },
  { allow: { preCaching: false }, text: "nothing" },
  {
    allow: { maxCost: { worker: "reboot", master: "drain" } },
    text: "pre-caching, worker: reboot, master: drain",
  },
  { allow: { preCaching: false, maxCost: { worker: "drain" } }, text: "worker: drain" },
])("When a window allows $allow, it should be shown as $text", ({ allow, text }) => {
  expect(allowedText(aWindow(allow ? { allow } : {}))).toBe(text);
});

test("When an instant is shown, it should be in the window's own zone, to the minute", () => {
  const { zone } = aWindow();
  expect(wallClock(zone, new Date("2026-03-29T01:00:59Z"))).toBe("Sun 2026-03-29 03:00");
});
