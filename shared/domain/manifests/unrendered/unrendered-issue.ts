import { sentence } from "../../credentials/redact.ts";
import { fileIssue, fileStart } from "../../issues/file-issues.ts";
import type { Issue } from "../../issues/issue.ts";
import type { UnrenderedFolder } from "./unrendered-folders.ts";

const programs = {
  kustomize: {
    what: "a kustomization that changes manifests: what it makes of them is not checked",
    option: "-k",
    pipe: "kustomize build",
  },
  helm: {
    what: "a Helm chart: its templates are not checked before Helm renders them",
    option: "--helm",
    pipe: "helm template",
  },
} as const;

/** Returns a word of a shell. */
const shellWord = (text: string): string =>
  /^[\w./+:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the warning about a folder whose manifests another program makes, and how to have it make them. */
export function notRendered({ folder, file, program }: UnrenderedFolder): Issue {
  const { what, option, pipe } = programs[program];
  const word = shellWord(folder || ".");
  return fileIssue(file, fileStart, "", {
    code: "NotRendered",
    severity: "warning",
    message: sentence`${folder || "."} is ${what}.`,
    remedy: sentence`Render it with ${option} ${word}, or pipe it: ${pipe} ${word} | hubrelay validate -f -`,
  });
}
