import { createLogUpdate } from "log-update";
import { joined, type SafeText, safe } from "./safe-text.ts";

export type ScreenSize = Readonly<{ columns: number; rows: number }>;

/** What a person has chosen by keys. */
export type ScreenView = Readonly<{
  /** Only clusters that failed. */
  isFailedOnly: boolean;
  /** The keys. */
  isHelp: boolean;
}>;

export type LiveScreen = Readonly<{
  draw(): void;
  /** Draws for the last time, and leaves what is shown above the cursor. */
  end(): void;
  /** Removes what is shown. */
  clear(): void;
}>;

/** How often relative times are brought up to date. */
const drawMs = 500;

/** True when a stream can be drawn on in place. */
export function canDraw(stream: NodeJS.WriteStream, { TERM }: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && TERM !== "dumb";
}

const usualView: ScreenView = { isFailedOnly: false, isHelp: false };

/** Ctrl-C is a key like others while keys are read. */
const endingKeys: ReadonlySet<string> = new Set(["q", "\u0003"]);

function viewAfter(view: ScreenView, key: string): ScreenView {
  if (key === "f") return { ...view, isFailedOnly: !view.isFailedOnly };
  return key === "?" ? { ...view, isHelp: !view.isHelp } : view;
}

/** Calls back for each key on a terminal, until the returned function is called. `q` ends the process as Ctrl-C does. */
function readKeys(input: NodeJS.ReadStream, onKey: (key: string) => void): () => void {
  if (!input.isTTY) return () => undefined;
  const read = (data: Buffer) => {
    for (const key of data.toString())
      if (endingKeys.has(key)) process.kill(process.pid, "SIGINT");
      else onKey(key);
  };
  input.setRawMode(true);
  input.on("data", read);
  input.resume();
  return () => {
    input.off("data", read);
    input.setRawMode(false);
    input.pause();
  };
}

/**
 * Draws lines in place on a terminal, again twice a second, after a key and when its size changes, until `end` or `clear`.
 * The cursor is hidden meanwhile, and shown again however the process ends.
 */
export function liveScreen(
  stream: NodeJS.WriteStream,
  linesFor: (size: ScreenSize, view: ScreenView) => readonly SafeText[],
): LiveScreen {
  const update = createLogUpdate(stream);
  let view = usualView;
  const draw = () => {
    const { columns = 80, rows = 24 } = stream;
    update(joined(linesFor({ columns, rows }, view), safe`\n`).for(stream));
  };
  const timer = setInterval(draw, drawMs);
  stream.on("resize", draw);
  const endKeys = readKeys(process.stdin, (key) => {
    view = viewAfter(view, key);
    draw();
  });
  const stop = () => {
    endKeys();
    clearInterval(timer);
    stream.off("resize", draw);
  };
  draw();
  return {
    draw,
    end() {
      stop();
      // Cleared first, since the terminal may have echoed the keys that ended the process.
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
