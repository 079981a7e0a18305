/** One line of a Prometheus exposition. */
export type Sample = Readonly<{ name: string; labels: Readonly<Record<string, string>>; value: number }>;

/** Parses the text that a `/metrics` endpoint returns; comments and lines of another form are left out. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split("\n").flatMap((line): Sample[] => {
    const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!name) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    return [
      { name, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value: Number(value) },
    ];
  });
}
