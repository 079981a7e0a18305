/* Writes docs/pictures/live-screen.svg, a picture of `npm start`. Takes about a minute; needs `tmux`. */
import { execFileSync } from "node:child_process";
import { cp, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runScript, scriptCommand } from "../npm-script.ts";
import { paths } from "../paths.ts";

const size = { columns: 110, rows: 44 };
const cell = { width: 8.4, height: 18 };
const margin = 12;
const colours: Readonly<Record<string, string>> = {
  "31": "#ff7b72",
  "32": "#3fb950",
  "33": "#d29922",
  "35": "#bc8cff",
  "36": "#39c5cf",
};
const dim = "#8b949e";

const escaped = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

function svg(frame: string): string {
  let codes: readonly string[] = [];
  const lines = frame.split("\n").map((line, row) => {
    const parts = line.split("\u001b[").map((part, index) => {
      const [, set = "", text = part] = (index > 0 && /^([\d;]*)m(.*)$/.exec(part)) || [];
      for (const code of index > 0 ? set.split(";") : [])
        codes = /^0?$/.test(code) ? [] : [...codes.filter((one) => one.length !== code.length), code];
      const fill = codes.flatMap((code) => colours[code] ?? (code === "2" ? dim : [])).at(-1);
      const style = `${fill ? ` fill="${fill}"` : ""}${codes.includes("1") ? ' font-weight="bold"' : ""}`;
      return style && text ? `<tspan${style}>${escaped(text)}</tspan>` : escaped(text);
    });
    const y = (margin + (row + 0.8) * cell.height).toFixed(1);
    return line === "" ? "" : `<text x="${margin}" y="${y}" xml:space="preserve">${parts.join("")}</text>\n`;
  });
  const width = Math.ceil(2 * margin + size.columns * cell.width);
  const height = 2 * margin + size.rows * cell.height;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">
<title>hubrelay pre-caches a fleet of eleven clusters; one has failed, and a change waited for its maintenance window</title>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${lines.join("")}</svg>
`;
}

await runScript("picture", async () => {
  scriptCommand("picture")
    .description("Write the picture of the live screen in README, from a real run. Takes a minute.")
    .parse();
  await using folder = await mkdtempDisposable(join(tmpdir(), "hubrelay-picture-"));
  await cp(join(paths.root, "examples/fleet"), join(folder.path, "examples/fleet"), { recursive: true });
  const server = ["-u", "-f", "/dev/null", "-S", join(folder.path, "tmux")];
  const tmux = (...words: readonly string[]) =>
    execFileSync("tmux", [...server, ...words], { cwd: folder.path, encoding: "utf8" });
  const start = `"${process.execPath}" "${join(paths.root, "cli/main.ts")}" dev --from examples/fleet`;
  const inSize = ["-x", String(size.columns), "-y", String(size.rows)];
  tmux("start-server", ";", "set", "-g", "status", "off", ";", "new-session", "-d", ...inSize, start);
  try {
    const isComplete = (text: string) =>
      /window opened/.test(text) && /tromso-\d +pulling +[5-9]s/.test(text);
    while (!isComplete(tmux("capture-pane", "-p"))) await sleep(200);
    await writeFile(join(paths.root, "docs/pictures/live-screen.svg"), svg(tmux("capture-pane", "-pe")));
  } finally {
    tmux("kill-server");
  }
});
