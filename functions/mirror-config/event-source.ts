/** Who writes the Kubernetes Events of this function, and how they are found again. */
export const eventComponent = "hubrelay-mirror-config";
export const eventLabels = { "hubrelay.dev/function": "mirror-config" } as const;
