import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { paths } from "../../infra/paths.ts";
import { finished } from "../../infra/run-program.ts";
import { installedPythonTool } from "../../infra/tool-folder.ts";

/** A check that failed, and for which resource, e.g. `Deployment.hubrelay.hubrelay-forwarder`. */
export type Finding = Readonly<{ check: string; what: string; where: string }>;

/** What checkov found, and how many checks passed: none would mean that it has read nothing. */
export type Scan = Readonly<{ passed: number; findings: readonly Finding[] }>;

type Framework = "cloudformation" | "kubernetes" | "dockerfile" | "github_actions";

const report = z.object({
  summary: z.object({ passed: z.number(), parsing_errors: z.literal(0) }),
  results: z.object({
    failed_checks: z.array(
      z.object({ check_id: z.string(), check_name: z.string(), resource: z.string(), file_path: z.string() }),
    ),
  }),
});

/** Runs checkov, which is installed from PyPI on first use, on a file or folder. It asks no server for anything. */
export async function scan(framework: Framework, path: string): Promise<Scan> {
  const bin = await installedPythonTool("checkov", console.warn);
  const args = ["--skip-download", "--compact", "--quiet", "--output", "json", "--framework", framework];
  const { stdout, stderr, code } = await finished(join(bin, "checkov"), [...args, "--directory", path], {
    cwd: paths.root,
    env: { ...process.env, LOG_LEVEL: "ERROR" },
  });
  if (code !== 0 && code !== 1) throw new Error(`checkov ended with ${code}: ${stderr}`);
  const { summary, results } = report.parse(JSON.parse(stdout));
  return {
    passed: summary.passed,
    findings: results.failed_checks.map(({ check_id, check_name, resource, file_path }) => ({
      check: check_id,
      what: check_name,
      // A Containerfile has no resources.
      where: framework === "dockerfile" ? containerfileOf(file_path) : resource,
    })),
  };
}

const containerfileOf = (path: string) => path.replace(/^\//, "").replace(/Dockerfile$/, "Containerfile");

/** Copies a Containerfile to the only name by which checkov knows it, below a folder. */
export async function copyContainerfile(path: string, folder: string): Promise<void> {
  const target = join(folder, path.replace(/Containerfile$/, "Dockerfile"));
  await mkdir(dirname(target), { recursive: true });
  await copyFile(join(paths.root, path), target);
}
