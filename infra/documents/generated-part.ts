import type * as z from "zod";

const marks = {
  start: "<!-- From here on made by `npm run docs`. -->",
  end: "<!-- Until here made by `npm run docs`. -->",
} as const;

/** Returns a page of the documentation with `generated` in place of the lines between the page's two marker lines. */
export function withGeneratedPart(page: string, generated: string): string {
  const start = page.indexOf(marks.start);
  const end = page.indexOf(marks.end);
  if (start < 0 || end < start) throw new Error(`the page lacks the lines ${marks.start} and ${marks.end}`);
  return `${page.slice(0, start + marks.start.length)}\n\n${generated}\n\n${page.slice(end)}`;
}

/** Returns a table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A JSON Schema, such as that of a CustomResourceDefinition. */
export type Schema = z.core.JSONSchema.BaseSchema;

/** Returns a part of a JSON Schema as an object. A part that is absent, `true` or `false` becomes the empty schema. */
export const asSchema = (schema: z.core.JSONSchema._JSONSchema | undefined): Schema =>
  typeof schema === "object" ? schema : {};
const itemsOf = ({ items }: Schema): Schema => (Array.isArray(items) ? {} : asSchema(items));

/** Returns a value as inline code in Markdown. */
export const code = (value: unknown) => `\`${String(value)}\``;
const valuesOf = ({ additionalProperties: values }: Schema): Schema | undefined =>
  typeof values === "object" && Object.keys(values).length > 0 ? values : undefined;

function kindOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map(code).join(", ");
  if (schema.format === "date-time") return "RFC 3339";
  const values = valuesOf(schema);
  if (values) return `map of ${kindOf(values)}`;
  if (schema.type === "array") return `list of ${kindOf(itemsOf(schema))}`;
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  return schema.type ?? "any value";
}

type Row = Readonly<{ field: string; kind: string; text: string }>;

function rowsOf(schema: Schema, path = ""): readonly Row[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]): readonly Row[] => {
    const value = asSchema(field);
    const at = `${path}${name}`;
    const kind = `${kindOf(value)}${required.includes(name) ? "" : ", may be absent"}`;
    const row = { field: at, kind, text: value.description ?? "" };
    return [
      row,
      ...rowsOf(value, `${at}.`),
      ...rowsOf(itemsOf(value), `${at}[].`),
      ...rowsOf(valuesOf(value) ?? {}, `${at}.NAME.`),
    ];
  });
}

/** Returns a Markdown table of the described fields of an object and of its nested objects. */
export const fieldTable = (schema: Schema) =>
  table(
    ["field", "value", "meaning"],
    rowsOf(schema)
      .filter(({ text }) => text !== "")
      .map(({ field, kind, text }) => [code(field), kind, text]),
  );
