import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { paths } from "../paths.ts";
import { withGeneratedPart } from "./generated-part.ts";
import { asSchema, fieldTable, type Schema } from "./schema-table.ts";

const files = ["maintenancewindows.yaml", "precachingreports.yaml", "readinessreports.yaml"];

/** Fields that every object has. */
const ofEveryObject = ["apiVersion", "kind", "metadata"];

function ownFields(schema: Schema): Schema {
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => !ofEveryObject.includes(name));
  return { ...schema, properties: Object.fromEntries(fields) };
}

async function sectionOf(file: string): Promise<string> {
  const { spec } = parse(await readFile(join(paths.root, "infra/crds", file), "utf8"));
  const [{ name: version, schema }] = spec.versions;
  const names = [spec.names.plural, spec.names.singular, ...spec.names.shortNames];
  return [
    `## ${spec.names.kind}`,
    `\`${spec.group}/${version}\`, in a namespace. kubectl's names: ${names.map((name) => `\`${name}\``).join(", ")}.`,
    fieldTable(ownFields(asSchema(schema.openAPIV3Schema))),
  ].join("\n\n");
}

/** Returns the page about hubrelay's own kinds with the tables of their fields replaced. */
export async function withKinds(page: string): Promise<string> {
  return withGeneratedPart(page, (await Promise.all(files.map(sectionOf))).join("\n\n"));
}
