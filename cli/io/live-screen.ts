import { createLogUpdate } from "log-update";
import { joined, type SafeText, safe } from "./safe-text.ts";

export type ScreenSize = Readonly<{ columns: number; rows: number }>;

export type LiveScreen = Readonly<{
  draw(): void;
  /** Draws for the last time, and leaves the drawn lines above the cursor. */
  end(): void;
  /** Removes the drawn lines. */
  clear(): void;
}>;

/** The interval in which lines are redrawn, since they have relative times. */
const drawMs = 500;

/** Reports whether a stream is a terminal on which lines can be drawn in place. */
export function canDraw(stream: NodeJS.WriteStream, { TERM }: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && TERM !== "dumb";
}

/**
 * Draws lines in place on a terminal, again twice a second and when its size changes, until `end` or `clear`. Hides the
 * cursor meanwhile, and shows it again however the process ends.
 */
export function liveScreen(
  stream: NodeJS.WriteStream,
  linesFor: (size: ScreenSize) => readonly SafeText[],
): LiveScreen {
  const update = createLogUpdate(stream);
  const draw = () => {
    const { columns = 80, rows = 24 } = stream;
    update(joined(linesFor({ columns, rows }), safe`\n`).for(stream));
  };
  const timer = setInterval(draw, drawMs);
  stream.on("resize", draw);
  const stop = () => {
    clearInterval(timer);
    stream.off("resize", draw);
  };
  draw();
  return {
    draw,
    end() {
      stop();
      // Clear the lines first: the terminal may have echoed the keys that ended the process.
      update.clear();
      draw();
      update.done();
    },
    clear() {
      stop();
      update.clear();
      update.done();
    },
  };
}
