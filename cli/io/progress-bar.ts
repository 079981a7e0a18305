import { print, safe, verbatim } from "./safe-text.ts";

/** A progress bar on one line, which disappears at the end. */
export type ProgressBar = Readonly<{
  show(what: string, done: number, total: number): void;
  clear(): void;
}>;

const maxWidth = 30;
const redrawMs = 100;
const clearLine = verbatim("\r\u001b[2K");

export function barText(done: number, total: number, width: number): string {
  const filled = total === 0 ? width : Math.min(width, Math.floor((done / total) * width));
  return `${"#".repeat(filled)}${".".repeat(width - filled)}`;
}

/** Returns a progress bar on standard error. Outside a terminal, the bar is not drawn. */
export function progressBar(stream = process.stderr, now: () => number = Date.now): ProgressBar {
  if (!stream.isTTY) return { show: () => {}, clear: () => {} };
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show(what, done, total) {
      if (done < total && now() - drawnAt < redrawMs) return;
      drawnAt = now();
      const counts = ` ${done}/${total} ${what}`;
      const width = Math.max(0, Math.min(maxWidth, (stream.columns || 80) - counts.length - 3));
      print(safe`${clearLine}[${barText(done, total, width)}]${counts}`, stream);
    },
    clear: () => print(clearLine, stream),
  };
}
