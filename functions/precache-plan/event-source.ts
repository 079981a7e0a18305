import { createHash } from "node:crypto";

/** Who writes the Kubernetes Events of this function. */
export const eventComponent = "hubrelay-precache-plan";

/** How the Events about one ClusterGroupUpgrade are found again; a label's value is shorter than a name may be. */
export function eventLabels(key: string): Readonly<Record<string, string>> {
  return {
    "hubrelay.dev/function": "precache-plan",
    "hubrelay.dev/key": createHash("sha256").update(key).digest("hex").slice(0, 16),
  };
}
