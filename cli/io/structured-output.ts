import { redactTexts } from "#shared/domain/credentials/redact.ts";
import type { Kind } from "#shared/domain/kubernetes/kinds.ts";
import { writeYaml } from "#shared/domain/manifests/manifests.ts";
import { type SafeText, safe, verbatim } from "./safe-text.ts";

export type StructuredFormat = "json" | "yaml";

/** Renders a value as JSON or YAML, with one newline at the end and without credentials. */
export function structured(value: unknown, format: StructuredFormat): SafeText {
  return content(redactTexts(value), format);
}

/** Renders what a program applies as `structured` does, but as it is: MachineConfigs, manifests, files of nodes. */
export function content(value: unknown, format: StructuredFormat): SafeText {
  return verbatim(format === "json" ? `${JSON.stringify(value, null, 2)}\n` : writeYaml(value));
}

/** Renders `-o name`, for other commands to read: `hostedcluster.hypershift.openshift.io/shop`, an object a line. */
export function objectNames(
  { kind, apiVersion }: Kind,
  objects: readonly Readonly<{ name: string }>[],
): SafeText {
  const [group = ""] = apiVersion.split("/");
  return safe`${objects.map(({ name }) => safe`${kind.toLowerCase()}.${group}/${name}\n`)}`;
}
