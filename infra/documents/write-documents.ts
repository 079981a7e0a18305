import { readFile, writeFile } from "node:fs/promises";
import { everyOutcome } from "../../test/support/messages/every-outcome.ts";
import { runScript, scriptCommand } from "../npm-script.ts";
import { paths } from "../paths.ts";
import { registrySchemaFile, schemaFile } from "./outcome-documents.ts";
import { generatedPages } from "./pages.ts";

await runScript("docs", async () => {
  scriptCommand("docs")
    .description("Write the parts of docs/ that come from the code: schemas, tables, examples, commands.")
    .parse();
  await writeFile(paths.outcomeSchema, schemaFile(await everyOutcome()));
  await writeFile(paths.registrySchema, registrySchemaFile());
  for (const { path, renewed } of generatedPages)
    await writeFile(path, await renewed(await readFile(path, "utf8")));
});
