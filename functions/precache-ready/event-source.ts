/** The component and labels of the Kubernetes Events of this function, which find them again. */
export const eventComponent = "hubrelay-precache-ready";
export const eventLabels = { "hubrelay.dev/function": "precache-ready" } as const;
