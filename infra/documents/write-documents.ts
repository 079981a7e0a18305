import { readFile, writeFile } from "node:fs/promises";
import { performanceTables, recordedResults } from "../../bench/record.ts";
import { securityClaims } from "../../test/claims/claims.ts";
import { everyOutcome } from "../../test/support/messages/every-outcome.ts";
import { runScript, scriptCommand } from "../npm-script.ts";
import { paths } from "../paths.ts";
import { withCommands } from "./command-page.ts";
import { withGeneratedPart } from "./generated-part.ts";
import { withIssueTables } from "./issue-page.ts";
import { withKinds } from "./kinds-page.ts";
import { registrySchemaFile, schemaFile, withTables } from "./outcome-documents.ts";
import { withClaims } from "./security-page.ts";
import { withStates } from "./state-page.ts";

await runScript("docs", async () => {
  scriptCommand("docs")
    .description("Write the parts of docs/ that come from the code: schemas, tables, examples, commands.")
    .parse();
  await writeFile(paths.outcomeSchema, schemaFile());
  await writeFile(paths.registrySchema, registrySchemaFile());
  await writeFile(
    paths.outcomePage,
    withTables(await readFile(paths.outcomePage, "utf8"), await everyOutcome()),
  );
  await writeFile(paths.issuePage, withIssueTables(await readFile(paths.issuePage, "utf8")));
  await writeFile(paths.commandPage, withCommands(await readFile(paths.commandPage, "utf8")));
  await writeFile(paths.securityPage, withClaims(await readFile(paths.securityPage, "utf8"), securityClaims));
  await writeFile(
    paths.performancePage,
    withGeneratedPart(await readFile(paths.performancePage, "utf8"), performanceTables(recordedResults())),
  );
  await writeFile(paths.precachingPage, withStates(await readFile(paths.precachingPage, "utf8")));
  await writeFile(paths.kindsPage, await withKinds(await readFile(paths.kindsPage, "utf8")));
});
