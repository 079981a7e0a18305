import { hash } from "node:crypto";

/** The component and labels of the Kubernetes Events of this function, which find them again. */
export const eventComponent = "hubrelay-hosted-clusters";
export const functionLabels = { "hubrelay.dev/function": "hosted-clusters" } as const;

/** Returns the labels of the Events about one hosted cluster. A key may exceed the length of a label. */
export function eventLabels(key: string): Readonly<Record<string, string>> {
  const cluster = hash("sha256", key).slice(0, 16);
  return { ...functionLabels, "hubrelay.dev/hosted-cluster": cluster };
}
