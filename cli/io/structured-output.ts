import { writeYaml } from "#shared/domain/manifests/manifests.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";
import { type SafeText, verbatim } from "./safe-text.ts";

export type StructuredFormat = "json" | "yaml";

const isStructured = (format: string): format is StructuredFormat => format === "json" || format === "yaml";

/** Renders a value as JSON or YAML with one newline at the end, and removes credentials. */
export function structured(value: unknown, format: StructuredFormat): SafeText {
  return content(redactTexts(value), format);
}

/**
 * Renders the result of a command in any of its formats. Removes credentials from each text in the result before these
 * texts are combined. `text` renders the formats for people; `data` selects the content of JSON and YAML.
 */
export function rendered<Found>(
  found: Found,
  format: string,
  text: (found: Found) => SafeText,
  data: (found: Found) => unknown = (all) => all,
): SafeText {
  const clean = redactTexts(found);
  return isStructured(format) ? content(data(clean), format) : text(clean);
}

/** Renders a value as `structured` does, but with credentials: for MachineConfigs and manifests that will be applied. */
export function content(value: unknown, format: StructuredFormat): SafeText {
  return verbatim(format === "json" ? `${JSON.stringify(value, null, 2)}\n` : writeYaml(value));
}
