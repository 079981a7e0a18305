/** A command that a page shows, and the output below it. */
export type Step = Readonly<{ command: string; shown: readonly string[] }>;

/** Returns the contents of the blocks of a page that have this tag, without the indentation of the block. */
export function blocksOf(page: string, tag: string): readonly string[] {
  const blocks = page.matchAll(new RegExp(`^( *)\`\`\`${tag}\\n([\\s\\S]*?)^\\1\`\`\`$`, "gm"));
  return [...blocks].map(([, indentation = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
  );
}

/** Returns the commands in the `console` blocks of a page. A command goes on behind a backslash at the end of a line. */
export function stepsOf(page: string): readonly Step[] {
  return blocksOf(page, "console").flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = "", ...shown] = part
          .replaceAll(/\\\n\s*/g, "")
          .trimEnd()
          .split("\n");
        return { command: command.replace(/\s+# .*$/, ""), shown };
      }),
  );
}

/**
 * Returns what a whole output must match: its lines as they are shown, except that `…` in a line stands for any text, and
 * a line that is only `…` for any number of lines.
 */
export function outputPattern(shown: readonly string[]): RegExp {
  const lines = shown.map((line) => {
    if (line.trim() === "…") return "(?:.*\\n)*";
    return `${line.trimEnd().split("…").map(RegExp.escape).join(".*")} *\\n`;
  });
  return new RegExp(`^${lines.join("")}$`);
}

/** Returns the words of a command line, or undefined where only a shell can read it. */
export function wordsOf(command: string): readonly string[] | undefined {
  if (/[|&;<>$`*?()\\]/.test(command)) return;
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) =>
    [double, single, bare].join(""),
  );
}

/** Returns the lines of the first block of `sh` below a heading of a page. */
export function scriptBelow(page: string, heading: string): readonly string[] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  return blocksOf(section, "sh")[0]?.trim().split("\n") ?? [];
}
