import type { Issue } from "#shared/domain/issues/issue.ts";
import { issueSentences } from "../issue-text.ts";
import { lines, type SafeText } from "../safe-text.ts";
import { pathInRepository } from "./repository-path.ts";

const inMessage = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const inProperty = (text: string): string => inMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Renders issues as workflow commands of GitHub Actions, which shows them beside the lines of a pull request. */
export function githubCommands(issues: readonly Issue[]): SafeText {
  const commands = issues.map((issue) => {
    const { severity, code, file, line, column } = issue;
    const place = file === undefined ? {} : { file: pathInRepository(file), line, col: column };
    const properties = Object.entries({ ...place, title: `hubrelay ${code}` }).map(
      ([name, value]) => `${name}=${inProperty(String(value))}`,
    );
    return `::${severity} ${properties.join(",")}::${inMessage(issueSentences(issue))}\n`;
  });
  return lines(commands.join(""));
}
