/*
 * Runs `npm start` in a terminal of 110 × 44, waits until the maintenance window has opened and a cluster of the far site
 * pulls, and writes what a person sees then to docs/pictures/live-screen.svg. Takes about a minute; needs `script` of
 * util-linux.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import xterm from "@xterm/headless";
import { runScript, scriptCommand } from "../npm-script.ts";
import { paths } from "../paths.ts";

const size = { cols: 110, rows: 44 };
const cell = { width: 8.4, height: 18 };
const margin = 12;
/** The 16 colours of a terminal with a dark background, in the order of their numbers. */
const palette = [
  ...["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"],
  ...["#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc"],
];
const colours = { text: "#e6edf3", dim: "#8b949e", background: "#0d1117" };

const escaped = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Renders the visible rows; neighbours of one style are one piece of text. */
function svg(terminal: xterm.Terminal): string {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let row = 0; row < terminal.rows; row++) {
    const line = active.getLine(active.baseY + row);
    if (!line) continue;
    const runs: { style: string; text: string; column: number }[] = [];
    for (let column = 0; column < terminal.cols; column++) {
      const one = line.getCell(column);
      if (!one || one.getWidth() === 0) continue;
      const colour = one.isFgPalette() ? palette[one.getFgColor()] : undefined;
      const fill = colour ?? (one.isDim() ? colours.dim : colours.text);
      const style = `fill="${fill}"${one.isBold() ? ' font-weight="bold"' : ""}`;
      const last = runs.at(-1);
      if (last?.style === style) last.text += one.getChars() || " ";
      else runs.push({ style, text: one.getChars() || " ", column });
    }
    const y = margin + (row + 0.8) * cell.height;
    for (const { style, text, column } of runs) {
      if (text.trim() === "") continue;
      const at = `x="${(margin + column * cell.width).toFixed(1)}" y="${y.toFixed(1)}"`;
      lines.push(`<text ${at} ${style} xml:space="preserve">${escaped(text.trimEnd())}</text>`);
    }
  }
  const width = Math.ceil(2 * margin + terminal.cols * cell.width);
  const height = 2 * margin + terminal.rows * cell.height;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">
<title>hubrelay pre-caches a fleet of eleven clusters; one has failed, and a change waited for its maintenance window</title>
<rect width="${width}" height="${height}" rx="8" fill="${colours.background}"/>
${lines.join("\n")}
</svg>
`;
}

await runScript("picture", async () => {
  scriptCommand("picture")
    .description("Write the picture of the live screen in README, from a real run. Takes a minute.")
    .parse();
  await using folder = await mkdtempDisposable(join(tmpdir(), "hubrelay-picture-"));
  await cp(join(paths.root, "examples/fleet"), join(folder.path, "examples/fleet"), { recursive: true });
  const terminal = new xterm.Terminal({ ...size, allowProposedApi: true });
  const command = `stty cols ${size.cols} rows ${size.rows}; exec "${process.execPath}" "${join(paths.root, "cli/main.ts")}" dev --from examples/fleet`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd: folder.path,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const isComplete = () => {
    const { active } = terminal.buffer;
    const text = Array.from({ length: terminal.rows }, (_, row) =>
      active.getLine(active.baseY + row)?.translateToString(true),
    ).join("\n");
    return /window opened/.test(text) && /tromso-\d +pulling +[5-9]s/.test(text);
  };
  for await (const output of child.stdout) {
    await new Promise<void>((resolve) => terminal.write(output, resolve));
    if (isComplete()) break;
  }
  await writeFile(join(paths.root, "docs/pictures/live-screen.svg"), svg(terminal));
  child.kill("SIGINT");
  await once(child, "exit");
});
