import { createHash } from "node:crypto";

/** Who writes the Kubernetes Events of this function, and how they are found again. */
export const eventComponent = "hubrelay-hosted-clusters";
export const functionLabels = { "hubrelay.dev/function": "hosted-clusters" } as const;

/** The labels of the Events about one hosted cluster; its name may be longer than a label. */
export function eventLabels(key: string): Readonly<Record<string, string>> {
  const cluster = createHash("sha256").update(key).digest("hex").slice(0, 16);
  return { ...functionLabels, "hubrelay.dev/hosted-cluster": cluster };
}
