import { print, safe, verbatim } from "./safe-text.ts";

/** A progress bar on one line, which is removed at the end. */
export type ProgressBar = Readonly<{
  show(what: string, done: number, total: number): void;
  clear(): void;
}>;

const maxWidth = 30;
const redrawMs = 100;
/** Shorter work needs no bar. */
const delayMs = 1_000;
const clearLine = verbatim("\r\u001b[2K");

export function barText(done: number, total: number, width: number): string {
  const filled = total === 0 ? width : Math.min(width, Math.floor((done / total) * width));
  return `${"#".repeat(filled)}${".".repeat(width - filled)}`;
}

/** Returns a bar that is drawn on standard error after a second; outside a terminal it is never drawn. */
export function progressBar(stream = process.stderr, now: () => number = Date.now): ProgressBar {
  if (!stream.isTTY) return { show: () => {}, clear: () => {} };
  const startedAt = now();
  let drawnAt = Number.NEGATIVE_INFINITY;
  let drawLast = () => {};
  let timer: NodeJS.Timeout | undefined;
  const draw = (what: string, done: number, total: number) => {
    drawnAt = now();
    const counts = ` ${done}/${total} ${what}`;
    const width = Math.max(0, Math.min(maxWidth, (stream.columns || 80) - counts.length - 3));
    print(safe`${clearLine}[${barText(done, total, width)}]${counts}`, stream);
  };
  return {
    show(what, done, total) {
      drawLast = () => draw(what, done, total);
      // A single step may take longer than the delay.
      timer ??= setTimeout(() => drawLast(), delayMs).unref();
      if (now() - startedAt < delayMs || (done < total && now() - drawnAt < redrawMs)) return;
      drawLast();
    },
    clear() {
      clearTimeout(timer);
      timer = undefined;
      if (drawnAt > startedAt) print(clearLine, stream);
    },
  };
}
