/** One location in which an image is looked for. */
export type ImageCandidate = Readonly<{
  /** The reference to look up; null if source and mirror do not form one. */
  reference: string | null;
  /** The source of this mirror; for the image's own location the source that decides about it, if any. */
  source: string | null;
  /** Null for the image's own location. */
  mirror: string | null;
  /** Whether it is the first that the rules allow. The image may still be missing there. */
  taken: boolean;
  /** Why it is not taken; null if it is. */
  reason: string | null;
}>;

/** A location, and why it cannot be taken in any position. */
export type Location = Omit<ImageCandidate, "taken" | "reason"> & Readonly<{ obstacle: string | null }>;

/** References that were looked up without success, and why. */
export type Unavailable = ReadonlyMap<string, string>;

/** Takes the first location that has no obstacle and may have the image; `later` returns why later ones are not. */
export function takeFirst(
  locations: readonly Location[],
  unavailable: Unavailable,
  later: (location: Location, taken: Location) => string,
): readonly ImageCandidate[] {
  const obstacleOf = ({ obstacle, reference }: Location) =>
    obstacle ?? unavailable.get(reference ?? "") ?? null;
  const taken = locations.find((location) => obstacleOf(location) === null);
  return locations.map((location) => {
    const { obstacle: _, ...candidate } = location;
    const obstacle = obstacleOf(location);
    if (location === taken) return { ...candidate, taken: true, reason: null };
    return { ...candidate, taken: false, reason: obstacle ?? (taken ? later(location, taken) : null) };
  });
}
