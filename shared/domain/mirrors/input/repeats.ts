/** Reports whether a name occurs twice. Comparing all pairs of a short list is faster than building a set. */
export function hasRepeats(names: readonly string[]): boolean {
  // Stryker disable next-line ConditionalExpression,EqualityOperator: both ways give the same result
  const isLong = names.length > 16;
  if (isLong) return new Set(names).size < names.length;
  for (let i = 1; i < names.length; i++) {
    for (let j = 0; j < i; j++) if (names[i] === names[j]) return true;
  }
  return false;
}
