import { expect, test } from "vitest";
import { barText, progressBar } from "./progress-bar.ts";

function aStream(isTTY: boolean) {
  const written: string[] = [];
  const stream = { isTTY, columns: 40, write: (text: string) => written.push(text), hasColors: () => false };
  return { written, stream: Object.assign(Object.create(process.stderr), stream) };
}

test.for([
  { done: 0, total: 4, bar: "...." },
  { done: 2, total: 4, bar: "##.." },
  { done: 4, total: 4, bar: "####" },
  { done: 0, total: 0, bar: "####" },
])("When $done of $total are done, the bar should be $bar", ({ done, total, bar }) => {
  expect(barText(done, total, 4)).toBe(bar);
});

test("When there is a terminal, the bar should fit its width, be drawn now and then, and leave nothing behind", () => {
  const { written, stream } = aStream(true);
  const clock = { now: 0 };
  const bar = progressBar(stream, () => clock.now);
  bar.show("images", 1, 190);
  bar.show("images", 2, 190);
  clock.now = 100;
  bar.show("images", 3, 190);
  bar.show("images", 190, 190);
  bar.clear();
  const drawn = written.map((text) => text.replace("\r\u001b[2K", ""));
  expect(drawn).toEqual([
    expect.stringMatching(/^\[\.+\] 1\/190 images$/),
    expect.stringContaining(" 3/190 images"),
    expect.stringMatching(/^\[#+\] 190\/190 images$/),
    "",
  ]);
  for (const text of drawn) expect(text.length).toBeLessThan(40);
});

test("When there is none, nothing should be drawn", () => {
  const { written, stream } = aStream(false);
  const bar = progressBar(stream);
  bar.show("images", 1, 1);
  bar.clear();
  expect(written).toEqual([]);
});
