import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";

/**
 * Opens the hub in a folder without root's right to read everything. Prints the names of its mirror sets and its issues,
 * now and after each line of input.
 */
const [directory = ""] = process.argv.slice(2);
const nobody = 65_534;
if (process.getuid?.() === 0) process.setuid?.(nobody);
const issues: string[] = [];
const hub = openDirectoryHub(directory, {
  onIssue: ({ code, severity, object, message }) =>
    issues.push(`${severity} ${code} ${object.name}: ${message}`),
});

async function printHub(): Promise<void> {
  const sets = await hub.list(kinds.ImageDigestMirrorSet);
  console.log(JSON.stringify({ names: sets.map(({ metadata }) => metadata.name), issues: issues.splice(0) }));
}

await printHub();
for await (const _line of process.stdin) await printHub();
hub.close();
