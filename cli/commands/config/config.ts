import { repositoryOf } from "../../io/repository/repository.ts";
import { hasPassed, type Settings, settingsFile } from "../../io/repository/settings.ts";
import { joined, painted, print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { tableWithHeadings } from "../../io/table.ts";

type Shown = Omit<Settings, "accept"> &
  Readonly<{
    /** The file with the settings, null without one. */
    file: string | null;
    accept: readonly (Settings["accept"][number] & Readonly<{ hasEnded: boolean }>)[];
  }>;

const listText = (items: readonly string[], none: string): string => items.join(", ") || none;

function configText({ file, clusters, exclude, severities, accept, failOn }: Shown): SafeText {
  const about = file === null ? `No ${settingsFile} at the root of the repository.` : `Settings of ${file}.`;
  const parts = [
    safe`${about}\n`,
    safe`Fails on   ${listText(["error", ...failOn.filter((one) => one !== "error")], "")}\nLeaves out ${listText(exclude, "nothing")}\n`,
    clusters.length > 0 &&
      tableWithHeadings(
        ["CLUSTER", "RELEASE", "PATHS"],
        clusters.map(({ name, release = "-", paths }) => [name, release, listText(paths, "-")]),
      ),
    severities.length > 0 &&
      tableWithHeadings(
        ["CODE", "SEVERITY", "REASON"],
        severities.map(({ code, severity, reason }) => [code, severity, reason]),
      ),
    accept.length > 0 &&
      tableWithHeadings(
        ["ACCEPTED", "UNTIL", "WHERE", "REASON"],
        accept.map(({ code, until, hasEnded, object, paths = [], reason }) => [
          code,
          hasEnded ? painted("red", `${until} (ended)`) : until,
          listText([...paths, ...(object ? [object] : [])], "everywhere"),
          reason,
        ]),
      ),
  ];
  return joined(
    parts.filter((part) => part !== false),
    safe`\n`,
  );
}

/** Runs `hubrelay config`: prints the repository's settings in force. Returns the exit code. */
export async function config({
  output,
  now = new Date(),
}: Readonly<{ output: "table" | StructuredFormat; now?: Date }>): Promise<number> {
  const { settings, file = null } = await repositoryOf();
  const accept = settings.accept.map((one) => ({ ...one, hasEnded: hasPassed(one.until, now) }));
  print(rendered({ file, ...settings, accept }, output, configText));
  return 0;
}
