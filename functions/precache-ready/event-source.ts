/** The reporting component of this function's Kubernetes Events; `eventLabels` are the labels by which they are listed. */
export const eventComponent = "hubrelay-precache-ready";
export const eventLabels = { "hubrelay.dev/function": "precache-ready" } as const;
