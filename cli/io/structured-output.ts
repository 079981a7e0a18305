import { writeYaml } from "#shared/domain/manifests/manifests.ts";
import { type SafeText, verbatim } from "./safe-text.ts";

export type StructuredFormat = "json" | "yaml";

/** Renders a value as JSON or YAML, with one newline at the end. */
export function structured(value: unknown, format: StructuredFormat): SafeText {
  return verbatim(format === "json" ? `${JSON.stringify(value, null, 2)}\n` : writeYaml(value));
}
