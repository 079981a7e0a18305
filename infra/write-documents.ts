import { readFile, writeFile } from "node:fs/promises";
import { withIssueTables } from "./issue-page.ts";
import { schemaFile, withTables } from "./outcome-documents.ts";
import { paths } from "./paths.ts";

await writeFile(paths.outcomeSchema, schemaFile());
await writeFile(paths.outcomePage, withTables(await readFile(paths.outcomePage, "utf8")));
await writeFile(paths.issuePage, withIssueTables(await readFile(paths.issuePage, "utf8")));
