const second = 1000;
const units: Readonly<Record<string, number>> = {
  h: 3600 * second,
  m: 60 * second,
  s: second,
  ms: 1,
};

/**
 * Milliseconds of a duration as Kubernetes writes them, e.g. `2h30m`, `90m`, `1.5h`; undefined when it is none.
 * Days are no unit: around a daylight-saving change they have no fixed length.
 */
export function readDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g))
    sum += Number(amount) * (units[unit] ?? 0);
  return Math.round(sum);
}

/** Milliseconds as the largest units that say them, e.g. `2h30m`; less than a second is left out. */
export function durationText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / second);
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  return parts.map(([amount, unit]) => (amount > 0 ? `${amount}${unit}` : "")).join("") || "0s";
}
