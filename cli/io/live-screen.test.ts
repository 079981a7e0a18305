import { expect, test } from "vitest";
import { canDraw } from "./live-screen.ts";

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
