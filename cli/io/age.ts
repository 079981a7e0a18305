const units = [
  { unit: "d", seconds: 86_400 },
  { unit: "h", seconds: 3_600 },
  { unit: "m", seconds: 60 },
] as const;

/** Returns how long ago `since` was, in the largest full unit, as kubectl shows ages: `3d`, `5h`, `12m`, `40s`. */
export function age(since: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 1000));
  const fitting = units.find((unit) => seconds >= unit.seconds);
  return fitting ? `${Math.floor(seconds / fitting.seconds)}${fitting.unit}` : `${seconds}s`;
}
