import { EventEmitter } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { virtualTerminal } from "../../test/support/terminal/virtual-terminal.ts";
import { canDraw, liveScreen } from "./live-screen.ts";
import { safe } from "./safe-text.ts";

/** A terminal as a stream, and what a person sees on it. */
function aTerminal(columns: number, rows: number) {
  const seen = virtualTerminal(columns, rows);
  let written = Promise.resolve();
  const stream = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns,
    rows,
    write(text: string) {
      written = written.then(() => seen.write(text));
      return true;
    },
  });
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    async visible() {
      await written;
      return seen.visible().filter((row) => row !== "");
    },
    async resize(newColumns: number, newRows: number) {
      await written;
      seen.resize(newColumns, newRows);
      Object.assign(stream, { columns: newColumns, rows: newRows });
      stream.emit("resize");
    },
    seen,
  };
}

test("When lines change, they should be replaced in place, and the last ones should stay", async () => {
  const terminal = aTerminal(40, 10);
  let lines = ["one", "two", "three"];
  const screen = liveScreen(terminal.stream, () => lines.map((line) => safe`${line}`));
  onTestFinished(screen.end);
  expect(await terminal.visible()).toEqual(["one", "two", "three"]);
  lines = ["one", "2"];
  screen.draw();
  expect(await terminal.visible()).toEqual(["one", "2"]);
  // What the terminal echoes for Ctrl-C does not stay.
  terminal.stream.write("^C");
  lines = ["ended"];
  screen.end();
  expect(await terminal.visible()).toEqual(["ended"]);
});

test("When the terminal changes its size, the screen should be drawn for the new one at once", async () => {
  const terminal = aTerminal(40, 10);
  const screen = liveScreen(terminal.stream, ({ columns, rows }) => [safe`${columns} by ${rows}`]);
  onTestFinished(screen.clear);
  await terminal.resize(30, 5);
  expect(await terminal.visible()).toEqual(["30 by 5"]);
});

test("When a screen is cleared, nothing of it should be left", async () => {
  const terminal = aTerminal(40, 10);
  liveScreen(terminal.stream, () => [safe`one`, safe`two`]).clear();
  expect(await terminal.visible()).toEqual([]);
});

test.for([
  { stream: { isTTY: true }, environment: { TERM: "xterm" }, can: true },
  { stream: { isTTY: true }, environment: {}, can: true },
  { stream: { isTTY: true }, environment: { TERM: "dumb" }, can: false },
  { stream: {}, environment: { TERM: "xterm" }, can: false },
])(
  "When the stream is $stream with $environment, drawing should be possible: $can",
  ({ stream, environment, can }) => {
    expect(canDraw(stream as NodeJS.WriteStream, environment)).toBe(can);
  },
);
