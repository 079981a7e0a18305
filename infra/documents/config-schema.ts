import { isRecord } from "#shared/domain/json/values.ts";
import { settingsFields } from "#shared/domain/repository/settings.ts";

/** Returns a definition in which objects have no other fields than their own. */
function closed(definition: unknown): unknown {
  if (Array.isArray(definition)) return definition.map(closed);
  if (!isRecord(definition)) return definition;
  const fields = Object.fromEntries(Object.entries(definition).map(([name, one]) => [name, closed(one)]));
  return isRecord(definition.properties) ? { ...fields, additionalProperties: false } : fields;
}

/** Returns the text of the JSON Schema of `.hubrelay.yaml`. */
export function configSchemaFile(): string {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of hubrelay for a repository (.hubrelay.yaml)",
    ...settingsFields.definition,
  };
  return `${JSON.stringify(closed(schema), null, 2)}\n`;
}
