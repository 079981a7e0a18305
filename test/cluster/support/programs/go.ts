import { spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { isRecord } from "#shared/domain/kubernetes/json/values.ts";
import { succeeded } from "../../../../infra/run-program.ts";

const environment = { ...process.env, GOFLAGS: "-mod=readonly -buildvcs=false", CGO_ENABLED: "0" };

/** Returns what `go ARGS…` prints when run in a module's folder; throws with Go's own message when it fails. */
export async function go(folder: string, args: readonly string[]): Promise<string> {
  return (await succeeded("go", args, { cwd: folder, env: environment })).stdout;
}

/** Returns the folder of a module of a go.mod, downloaded and checked against go.sum when it is not in Go's cache. */
export async function moduleDirectory(folder: string, module: string): Promise<string> {
  const result: unknown = JSON.parse(await go(folder, ["mod", "download", "-json", module]));
  if (isRecord(result) && typeof result.Dir === "string") return result.Dir;
  throw new Error(`go mod download ${module} names no folder`);
}

/**
 * Builds a program of a module at low priority, and reports every 15 seconds how many packages are compiled. Packages
 * from Go's own cache are not counted.
 */
export async function goBuild(
  folder: string,
  {
    program,
    flags,
    output,
    usesC = false,
  }: Readonly<{ program: string; flags: readonly string[]; output: string; usesC?: boolean }>,
  onProgress: (packages: number, seconds: number) => void,
): Promise<void> {
  const started = performance.now();
  const child = spawn("go", ["build", "-v", ...flags, "-o", output, program], {
    cwd: folder,
    env: { ...environment, ...(usesC && { CGO_ENABLED: "1" }) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (child.pid) setPriority(child.pid, 10);
  let packages = 0;
  const lastLines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (/^[\w./~-]+$/.test(line)) packages++;
    else lastLines.splice(0, Math.max(0, lastLines.length - 19), ...lastLines.slice(-19), line);
  });
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const progress = setInterval(() => onProgress(packages, seconds()), 15_000);
  try {
    const [[code], printed] = await Promise.all([once(child, "close"), text(child.stdout)]);
    if (code !== 0)
      throw new Error(`go build ${program} ended with ${code}:\n${printed}${lastLines.join("\n")}`);
  } finally {
    clearInterval(progress);
  }
}

const action = /\{\{-?\s*([^}]*?)\s*-?\}\}/g;

/**
 * Renders a manifest that is a Go text/template, with the values that it names as `.Name`. Blocks (`if`, `range`) are
 * left out: in the manifests here these are labels and annotations that are never set.
 */
export function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  let depth = 0;
  const lines: string[] = [];
  for (const line of template.split("\n")) {
    const words = [...line.matchAll(action)].map(([, text = ""]) => text.split(" ")[0] ?? "");
    const opened = words.filter((word) => word === "if" || word === "range").length;
    const closed = words.filter((word) => word === "end").length;
    if (words.includes("else")) throw new Error(`a block with two sides cannot be left out: ${line}`);
    if (depth === 0 && opened === 0) lines.push(line);
    depth += opened - closed;
  }
  return lines.join("\n").replace(action, (_, name: string) => {
    const value = values[name.replace(/^\./, "")];
    if (value === undefined) throw new Error(`the template needs ${name}`);
    return value;
  });
}
