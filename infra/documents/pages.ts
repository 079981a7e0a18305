import { performanceTables, recordedResults } from "../../bench/record.ts";
import { securityClaims } from "../../test/claims/claims.ts";
import { paths } from "../paths.ts";
import { withCommands } from "./command-page.ts";
import { configSchemaFile } from "./config-schema.ts";
import { coverageSchemaFile, withCoverageTables } from "./coverage-page.ts";
import { withGeneratedPart } from "./generated-part.ts";
import { withIssueTables } from "./issue-page.ts";
import { withKinds } from "./kinds-page.ts";
import { withClaims } from "./security-page.ts";
import { withStates } from "./state-page.ts";

type GeneratedPage = Readonly<{
  path: string;
  /** What changes the page. */
  when: string;
  /** Returns the page with its generated part, or all of it, made again. */
  renewed(page: string): string | Promise<string>;
}>;

/** The pages and files that `npm run docs` writes, besides the page of outcomes, which needs examples of all of them. */
export const generatedPages: readonly GeneratedPage[] = [
  { path: paths.issuePage, when: "an issue code changes", renewed: withIssueTables },
  { path: paths.commandPage, when: "a command or an option changes", renewed: withCommands },
  {
    path: paths.securityPage,
    when: "a claim about security changes",
    renewed: (page) => withClaims(page, securityClaims),
  },
  {
    path: paths.performancePage,
    when: "results of the bench are recorded",
    renewed: (page) => withGeneratedPart(page, performanceTables(recordedResults())),
  },
  { path: paths.precachingPage, when: "a state of a cluster changes", renewed: withStates },
  { path: paths.configSchema, when: "a setting of a repository changes", renewed: configSchemaFile },
  { path: paths.kindsPage, when: "the definition of a kind changes", renewed: withKinds },
  { path: paths.coveragePage, when: "the schema of coverage changes", renewed: withCoverageTables },
  { path: paths.coverageSchema, when: "the schema of coverage changes", renewed: coverageSchemaFile },
];
