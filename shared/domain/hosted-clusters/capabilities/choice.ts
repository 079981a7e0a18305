import { isRecord } from "../../json/values.ts";
import type { CapabilityChoice } from "./resolve.ts";

const names = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];

/** Reads `spec.capabilities`; what has the wrong type is passed over, since validation tells it. */
export function readCapabilityChoice(capabilities: unknown): Required<CapabilityChoice> {
  const { enabled, disabled } = isRecord(capabilities) ? capabilities : {};
  return { enabled: names(enabled), disabled: names(disabled) };
}
