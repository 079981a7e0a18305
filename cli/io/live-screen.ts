import { createLogUpdate } from "log-update";
import { joined, type SafeText, safe } from "./safe-text.ts";

export type ScreenSize = Readonly<{ columns: number; rows: number }>;

export type LiveScreen = Readonly<{
  draw(): void;
  /** Draws for the last time, and leaves the lines on the screen. */
  end(): void;
  clear(): void;
}>;

const drawMs = 500;

/** Reports whether lines on this stream can be redrawn in place. */
export function canDraw(stream: NodeJS.WriteStream, { TERM }: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && TERM !== "dumb";
}

/**
 * Draws lines in place on a terminal, again and again until `end` or `clear` is called. log-update hides the cursor
 * meanwhile, and shows it again however the process ends.
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
