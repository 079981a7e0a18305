import { controllers } from "#functions/controllers.ts";

/** The functions that log in to the hub with a kubeconfig of their own, by name; `resync` has no queue. */
export const functionsWithLogin: readonly Readonly<{ name: string }>[] = [
  ...controllers.map(({ name }) => ({ name })),
  { name: "resync" },
];

/** The account of a function on the hub, as `infra/hub-rbac` creates it. */
export const accountOf = (functionName: string) => ({
  namespace: "hubrelay",
  name: `hubrelay-${functionName}`,
});

const dayMs = 24 * 60 * 60 * 1000;

/** Returns the whole days from now until then; negative after the end. */
export const daysUntil = (end: Date, now: Date): number =>
  Math.floor((end.getTime() - now.getTime()) / dayMs);
