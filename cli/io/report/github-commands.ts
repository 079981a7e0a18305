import { coverageLines } from "#shared/domain/issues/coverage.ts";
import { issueSentences } from "../issue-text.ts";
import { lines, type SafeText } from "../safe-text.ts";
import { pathInRepository, type ValidationReport } from "./validation-report.ts";

/** Matches the `@` of a mention on GitHub, also as an HTML character reference. Does not match the `@` of a digest. */
const mention = /(?<![\w@])@(?=\w)|&(?=(?:#0*64|#x0*40|commat)\b)/gi;

const inMessage = (text: string): string =>
  text.replaceAll(mention, "$& ").replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const inProperty = (text: string): string => inMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Renders a report as workflow commands of GitHub Actions. GitHub shows issues beside the lines of a pull request. */
export function githubCommands({
  issues,
  coverage,
}: Pick<ValidationReport, "issues" | "coverage">): SafeText {
  const commands = issues.map((issue) => {
    const { severity, code, file, line, column } = issue;
    const place = file === undefined ? {} : { file: pathInRepository(file), line, col: column };
    const properties = Object.entries({ ...place, title: `hubrelay ${code}` }).map(
      ([name, value]) => `${name}=${inProperty(String(value))}`,
    );
    return `::${severity} ${properties.join(",")}::${inMessage(issueSentences(issue))}\n`;
  });
  const notices = coverageLines(coverage).map(
    (line) => `::notice title=${inProperty("hubrelay coverage")}::${inMessage(line)}\n`,
  );
  return lines([...commands, ...notices].join(""));
}
