import { fileIssue, fileStart } from "../../issues/file-issues.ts";
import type { Issue } from "../../issues/issue.ts";
import { someOf } from "../../kubernetes/json/values.ts";
import { counted, shellWord } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import { pathFrom, type UnrenderedFolder } from "./unrendered-folders.ts";

const programs = {
  kustomize: { noun: "kustomization", option: "-k" },
  helm: { noun: "Helm chart", option: "--helm" },
} as const;

/**
 * Returns one warning for each program that must render folders. `below` returns a folder's path for the message, and
 * `given` for the remedy.
 */
export function notRendered(
  folders: readonly UnrenderedFolder[],
  below = (folder: string): string => folder,
  given = (folder: string): string => folder,
): readonly Issue[] {
  return [...Map.groupBy(folders, ({ program }) => program)].flatMap(([program, all]) => {
    const { noun, option } = programs[program];
    const names = all.map(({ folder }) => below(folder) || ".");
    const which = names.join() === "." ? "" : sentence`: ${someOf(names, 3)}`;
    const plugins = all.some(({ hasPlugins }) => hasPlugins) ? " --enable-alpha-plugins" : "";
    return all.slice(0, 1).map(({ file, folder }) => {
      const [them, argument] =
        all.length === 1 ? ["it", shellWord(given(folder) || ".")] : ["those of clusters", "FOLDER"];
      return fileIssue(file, fileStart, "", {
        code: "NotRendered",
        severity: "warning",
        message: sentence`${program} makes the manifests of ${counted(all.length, noun)}, so they are not checked${which}.`,
        remedy: sentence`Use ${option} ${argument}${plugins} to render ${them}.`,
      });
    });
  });
}

/** Matches the text that kustomize, Helm and two versions of kubectl print before the reason of a failure. */
const beforeReason = /^(?:error: |.*"command failed" err=)/i;
const advice = /^Use --debug flag /;

/** Returns the reason of a program's failure on one line. `stderr` may have warnings before the reason. */
export function failureReason(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const start = lines.findLastIndex((line) => beforeReason.test(line));
  const reason = start < 0 ? lines.slice(-1) : lines.slice(start).filter((line) => !advice.test(line));
  return reason.join(" ").replace(beforeReason, "").replaceAll(/\s+/g, " ").trim();
}

/** Helm's paths in `reason` begin with the name of the chart, not with its folder. */
function placeIn(folder: string, reason: string) {
  const [, template, line, column] =
    /(?<=[\w.-]\/)(templates\/[^:\s)]+)(?::(\d+))?(?::(\d+))?/.exec(reason) ?? [];
  if (template === undefined) return undefined;
  return { file: pathFrom(folder, template), line: Number(line ?? 1), column: Number(column ?? 1) };
}

/** Returns the error about a folder that `program` could not render. `command` is shown for the user to try. */
export function renderFailed(
  { folder, file }: Pick<UnrenderedFolder, "folder" | "file">,
  { command, program, stderr }: Readonly<{ command: string; program: string; stderr: string }>,
): Issue {
  const reason = failureReason(stderr);
  const { file: named, ...place } = placeIn(folder, reason) ?? { file, ...fileStart };
  return fileIssue(named, place, "", {
    code: "RenderFailed",
    message: sentence`${program} failed: ${reason}.`,
    remedy: reason.includes("plugins disabled")
      ? "Give the command the option --enable-alpha-plugins, if you trust the plugins that the folder names: they run here."
      : sentence`Correct what it names, until ${command} prints manifests; nothing of ${folder} is checked before.`,
  });
}
