import { writeYaml } from "#shared/domain/manifests/manifests.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";
import { type SafeText, verbatim } from "./safe-text.ts";

export type StructuredFormat = "json" | "yaml";

const isStructured = (format: string): format is StructuredFormat => format === "json" || format === "yaml";

/** Renders a value as JSON or YAML, without credentials, and with a newline at the end. */
export function structured(value: unknown, format: StructuredFormat): SafeText {
  return content(redactTexts(value), format);
}

/**
 * Renders the result of a command. Removes credentials from each text in the result before these texts are combined.
 * `text` renders for people; `data` selects the content of JSON and YAML.
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

/** Renders a value with its credentials. Use it only for MachineConfigs and for manifests that will be applied. */
export function content(value: unknown, format: StructuredFormat): SafeText {
  return verbatim(format === "json" ? `${JSON.stringify(value, null, 2)}\n` : writeYaml(value));
}
