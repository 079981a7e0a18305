import { unreadReasons } from "#shared/domain/covered/coverage.ts";
import { coverageJsonSchema } from "#shared/domain/covered/coverage-schema.ts";
import { table, withGeneratedPart } from "./generated-part.ts";
import { asSchema, code, fieldTable } from "./schema-table.ts";

/** Returns the text of the JSON Schema file. */
export function coverageSchemaFile(): string {
  return `${JSON.stringify(coverageJsonSchema(), null, 2)}\n`;
}

/** Returns the page about coverage with its tables replaced. */
export function withCoverageTables(page: string): string {
  const reasons = Object.entries(unreadReasons).map(([reason, text]) => [code(reason), text]);
  return withGeneratedPart(
    page,
    [
      "## The field `coverage`",
      fieldTable(asSchema(coverageJsonSchema())),
      table(["`unread[].why`", "in text"], reasons),
    ].join("\n\n"),
  );
}
