import { hash } from "node:crypto";

/** The reporting component of this function's Kubernetes Events. */
export const eventComponent = "hubrelay-precache-plan";

/**
 * Returns the labels by which the Events about one ClusterGroupUpgrade are listed. The key is hashed, because a name
 * may be longer than a label value.
 */
export function eventLabels(key: string): Readonly<Record<string, string>> {
  return {
    "hubrelay.dev/function": "precache-plan",
    "hubrelay.dev/key": hash("sha256", key).slice(0, 16),
  };
}
