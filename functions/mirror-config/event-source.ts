/** The component and labels of the Kubernetes Events of this function, which find them again. */
export const eventComponent = "hubrelay-mirror-config";
export const eventLabels = { "hubrelay.dev/function": "mirror-config" } as const;
