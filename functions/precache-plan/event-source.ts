import { hash } from "node:crypto";

/** The reporting component of this function's Kubernetes Events. */
export const eventComponent = "hubrelay-precache-plan";

/** Returns the labels of Events about an upgrade. The key is hashed, because it may be too long for a label. */
export function eventLabels(key: string): Readonly<Record<string, string>> {
  return {
    "hubrelay.dev/function": "precache-plan",
    "hubrelay.dev/key": hash("sha256", key).slice(0, 16),
  };
}
