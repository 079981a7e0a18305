/** What a part of an expression may be: an escape, a class, or a character. */
const atom =
  /\\(?:[upP]\{[^}]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|k<[^>]+>|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/g;
/** What is between the parts: groups, repetitions, anchors. */
const between = /\((?:\?(?:[:=!]|<[=!]|<[^>]+>))?|(?<!\\)\{\d+(?:,\d*)?\}|[)|^$*+?]/y;

const alphabet = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  ..."\n\r\t\0é\u2028",
];

function atomsOf(source: string): readonly string[] {
  const atoms: string[] = [];
  for (let at = 0; at < source.length; ) {
    between.lastIndex = at;
    atom.lastIndex = at;
    const skipped = between.exec(source)?.[0];
    const [found = ""] = skipped === undefined ? (atom.exec(source) ?? []) : [];
    if (found !== "" && !/^\\[bBk\d]/.test(found)) atoms.push(found);
    at += (skipped ?? found).length;
  }
  return atoms;
}

/** Returns the text of a given length. */
export type HostileText = (length: number) => string;

/**
 * Returns texts that make an expression try as much as possible: what its parts match, one character for each set of parts that
 * it matches, repeated alone, in pairs and in the order of the parts, after what the parts before match, and before what does
 * not match at last.
 */
export function hostileTexts({ source, flags }: RegExp): readonly HostileText[] {
  const atoms = atomsOf(source);
  const parts = [...new Set(atoms)].map((part) => {
    const escaped = /^[{}\]/]$/.test(part) ? `\\${part}` : part;
    return { part, pattern: new RegExp(`^${escaped}$`, flags.replace(/[gym]/g, "")) };
  });
  const matchedBy = (character: string) => parts.filter(({ pattern }) => pattern.test(character));
  const kinds = new Map<string, string>();
  for (const character of alphabet) {
    const kind = JSON.stringify([
      matchedBy(character).map(({ part }) => part),
      character === "\n",
      /\w/.test(character),
    ]);
    if (!kinds.has(kind)) kinds.set(kind, character);
  }
  const characters = [...kinds.values()];
  const widest = characters.toSorted((a, b) => matchedBy(b).length - matchedBy(a).length);
  const matching = (part: string, order: readonly string[]) =>
    order.find((one) => matchedBy(one).some((found) => found.part === part)) ?? "";
  const samples = [widest, widest.toReversed()].map((order) => atoms.map((part) => matching(part, order)));

  const few = widest.slice(0, 12);
  const sequences = samples.flatMap((sample) =>
    sample.flatMap((_, start) =>
      [2, 3, 4, 6, 8, 12, 16].map((length) => sample.slice(start, start + length).join("")),
    ),
  );
  const prefixes = samples.flatMap((sample) =>
    sample.slice(0, 16).map((_, index) => sample.slice(0, index).join("")),
  );
  const pairs = few.flatMap((a) => few.map((b) => [a, b] as const));
  const repeated = (unit: string, length: number) =>
    unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  const ends = ["", "\u0001", ...few];
  return [
    ...characters.flatMap((unit) => ends.map((end) => (length: number) => repeated(unit, length) + end)),
    ...[...new Set([...pairs.map((pair) => pair.join("")), ...sequences])]
      .filter((unit) => unit !== "")
      .flatMap((unit) =>
        ["", "\u0001", "\n!", "/"].map((end) => (length: number) => repeated(unit, length) + end),
      ),
    ...[...new Set(prefixes)].flatMap((prefix) =>
      few.map((unit) => (length: number) => `${prefix}${unit.repeat(length)}\u0001`),
    ),
    ...pairs.map(
      ([a, b]) =>
        (length: number) =>
          `${repeated(a, length / 2)}${repeated(b, length / 2)}\u0001`,
    ),
  ];
}
