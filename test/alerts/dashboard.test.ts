import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { paths } from "../../infra/paths.ts";
import { finished } from "../../infra/run-program.ts";

/** In the repository, where the compiler finds Grafana's types. */
const folder = join(paths.cache, "dashboard");

/** Returns what TypeScript says about a dashboard as a value of Grafana's own type. */
async function problemsOf(dashboard: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, "dashboard.ts");
  const head = 'import type { Dashboard } from "@grafana/schema";\nexport const dashboard: Dashboard = ';
  await writeFile(file, `${head}${dashboard.trim()};\n`);
  const tsc = join(paths.root, "node_modules/typescript/bin/tsc");
  const options = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--module",
    "nodenext",
    "--target",
    "es2023",
  ];
  const { stdout, stderr } = await finished(process.execPath, [tsc, ...options, file], { cwd: folder });
  return stdout + stderr;
}

const shipped = await readFile(join(paths.root, "examples/dashboards/hubrelay.json"), "utf8");

test("When Grafana reads the dashboard, every field of it should be one that Grafana knows", async () => {
  expect(await problemsOf(shipped)).toBe("");
});

test("When a panel has a field that Grafana does not know, the check should name it", async () => {
  const changed = shipped.replace('"gridPos"', '"gridPosition"');
  expect(await problemsOf(changed)).toContain("gridPosition");
});
