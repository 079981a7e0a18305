/** Who writes the Kubernetes Events of this function, and how they are found again. */
export const reportComponent = "hubrelay-mirror-config";
export const reportLabels = { "hubrelay.dev/function": "mirror-config" } as const;
