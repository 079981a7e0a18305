import { writeYaml } from "#shared/domain/kubernetes/manifests.ts";

export type StructuredFormat = "json" | "yaml";

/** A value for machines, with one newline at its end. */
export function structured(value: unknown, format: StructuredFormat): string {
  return format === "json" ? `${JSON.stringify(value, null, 2)}\n` : writeYaml(value);
}
