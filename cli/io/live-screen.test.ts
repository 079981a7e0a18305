import { expect, test } from "vitest";
import { canDraw } from "./live-screen.ts";

test.for([
  [{ isTTY: true }, { TERM: "xterm" }, true],
  [{ isTTY: true }, {}, true],
  [{ isTTY: true }, { TERM: "dumb" }, false],
  [{}, { TERM: "xterm" }, false],
] as const)("When the stream is $0 with $1, drawing should be possible: $2", ([stream, environment, can]) => {
  expect(canDraw(stream as NodeJS.WriteStream, environment)).toBe(can);
});
