/** Longer names are not typing errors, and are slow to compare. */
const maxNameLength = 100;

/** Returns the Levenshtein distance. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, character] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const replaced = (row[j] ?? 0) + (character === to[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Returns the known name that is nearest to a mistyped name; undefined if none is near or several are equally near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxNameLength) return undefined;
  const [nearest, next] = [...new Set(known)]
    .map((one) => ({ one, away: distance(name, one) }))
    .filter(({ one, away }) => away <= Math.ceil(one.length / 3))
    .sort((a, b) => a.away - b.away);
  return nearest?.away === next?.away ? undefined : nearest?.one;
}
