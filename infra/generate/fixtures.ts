/** For tests: the manifest of a function that does not exist in hubrelay. */
export const nodeLabels = {
  name: "node-labels",
  description: "Labels nodes",
  queue: "node-label-sets",
  queueHolds: "references to label sets",
  timeoutSeconds: 45,
  concurrency: { onLambda: 3, pods: 5, why: "Few labels change." },
  messagesPerPod: 7,
  alarms: { waits: "A label waits.", retries: "A label is retried." },
};
