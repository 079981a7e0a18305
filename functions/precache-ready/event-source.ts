/** The reporting component of this function's Kubernetes Events. */
export const eventComponent = "hubrelay-precache-ready";
export const eventLabels = { "hubrelay.dev/function": "precache-ready" } as const;
