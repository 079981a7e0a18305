import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { everyOutcome } from "../../test/support/messages/every-outcome.ts";
import { runScript, scriptCommand } from "../npm-script.ts";
import { paths } from "../paths.ts";
import { schemaFile } from "./outcome-documents.ts";
import { generatedPages } from "./pages.ts";

await runScript("docs", async () => {
  scriptCommand("docs")
    .description("Write the parts of docs/ that come from the code: schemas, tables, examples, commands.")
    .parse();
  await writeFile(paths.outcomeSchema, schemaFile(await everyOutcome()));
  for (const { path, renewed } of generatedPages) {
    const file = join(paths.root, path);
    await writeFile(file, await renewed(await readFile(file, "utf8")));
  }
});
