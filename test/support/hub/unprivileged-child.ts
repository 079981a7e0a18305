import { once } from "node:events";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";

/**
 * Opens the hub in a folder without root's right to read everything. Prints the names of its mirror sets and its issues,
 * now and after each change of these.
 */
const [directory = ""] = process.argv.slice(2);
const nobody = 65_534;
if (process.getuid?.() === 0) process.setuid?.(nobody);
let issues: readonly string[] = [];
const textOf = ({ code, severity, object, message }: Issue) =>
  `${severity} ${code} ${object.name}: ${message}`;
const hub = openDirectoryHub(directory, {
  onIssue: (issue) => {
    issues = [...issues, textOf(issue)];
  },
  onFixed: (issue) => {
    issues = issues.filter((one) => one !== textOf(issue));
  },
});

let printed = "";
async function printHub(): Promise<void> {
  const sets = await hub.list(kinds.ImageDigestMirrorSet);
  const text = JSON.stringify({ names: sets.map(({ metadata }) => metadata.name), issues });
  if (text !== printed) console.log(text);
  printed = text;
}

await printHub();
const timer = setInterval(printHub, 50);
process.stdin.resume();
await once(process.stdin, "end");
clearInterval(timer);
hub.close();
