import { fileIssue, fileStart } from "../../issues/file-issues.ts";
import type { Issue } from "../../issues/issue.ts";
import { someOf } from "../../kubernetes/json/values.ts";
import { shellWord } from "../../text/human-readable.ts";
import { sentence } from "../../text/redact.ts";
import { pathFrom, type UnrenderedFolder } from "./unrendered-folders.ts";

const programs = {
  kustomize: {
    what: "a kustomization that changes manifests: what it makes of them is not checked",
    kinds: "kustomizations that change manifests",
    option: "-k",
    pipe: "kustomize build",
  },
  helm: {
    what: "a Helm chart: its templates are not checked before Helm renders them",
    kinds: "Helm charts",
    option: "--helm",
    pipe: "helm template",
  },
} as const;

/** Returns the warning about a folder whose manifests another program makes, and how to have it make them. */
export function notRendered({ folder, file, program, hasPlugins = false }: UnrenderedFolder): Issue {
  const { what, option, pipe } = programs[program];
  const word = shellWord(folder || ".");
  const plugins = hasPlugins ? " --enable-alpha-plugins" : "";
  return fileIssue(file, fileStart, "", {
    code: "NotRendered",
    severity: "warning",
    message: sentence`This is ${what}.`,
    remedy: sentence`Render it with ${option} ${word}${plugins}, or pipe it: ${pipe}${plugins} ${word} | hubrelay validate -f -`,
  });
}

/** Returns one warning about the folders of each program; `below` names each by its path in the folder that is read. */
export function allNotRendered(
  folders: readonly UnrenderedFolder[],
  below: (folder: string) => string,
): readonly Issue[] {
  return [...Map.groupBy(folders, ({ program }) => program)].flatMap(([program, all]) => {
    const [first, ...others] = all;
    if (!first) return [];
    if (others.length === 0) return [notRendered(first)];
    const { kinds, option } = programs[program];
    const plugins = all.some(({ hasPlugins }) => hasPlugins) ? " --enable-alpha-plugins" : "";
    const names = someOf(
      all.map(({ folder }) => below(folder) || "."),
      3,
    );
    return [
      fileIssue(first.file, fileStart, "", {
        code: "NotRendered",
        severity: "warning",
        message: sentence`${all.length} ${kinds} are not checked: ${names}.`,
        remedy: sentence`Render those of clusters with ${option} FOLDER${plugins}, several times for several.`,
      }),
    ];
  });
}

/** What kustomize, Helm, and kubectl in two of its versions write before the reason. */
const beforeReason = /^(?:error: |.*"command failed" err=)/i;
/** Helm's advice about an option of its own. */
const advice = /^Use --debug flag /;

/** Returns the reason that a program has written on standard error, on one line; warnings may come before it. */
export function failureReason(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const start = lines.findLastIndex((line) => beforeReason.test(line));
  const reason = start < 0 ? lines.slice(-1) : lines.slice(start).filter((line) => !advice.test(line));
  return reason.join(" ").replace(beforeReason, "").replaceAll(/\s+/g, " ").trim();
}

/** Returns the place in a template that Helm names, by a path that begins with the name of the chart. */
function placeIn(folder: string, reason: string) {
  const [, template, line, column] =
    /(?<=[\w.-]\/)(templates\/[^:\s)]+)(?::(\d+))?(?::(\d+))?/.exec(reason) ?? [];
  if (template === undefined) return undefined;
  return { file: pathFrom(folder, template), line: Number(line ?? 1), column: Number(column ?? 1) };
}

/** Returns the error about a folder that a program could not render; `command` is what did, with `program`; `stderr` what it has written. */
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
