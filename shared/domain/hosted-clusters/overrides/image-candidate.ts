/** One place where an image is looked for. */
export type ImageCandidate = Readonly<{
  /** What is asked for there; null when source and mirror make no reference of the image. */
  reference: string | null;
  /** The source whose mirror this is; for the image's own place the source that decides about it, if any. */
  source: string | null;
  /** Null for the image's own place. */
  mirror: string | null;
  /** The first that the rules allow. Whether the image is there is another matter. */
  taken: boolean;
  /** Why it is not taken, null when it is. */
  reason: string | null;
}>;

/** A place, and what keeps it from being taken wherever it stands. */
export type Place = Omit<ImageCandidate, "taken" | "reason"> & Readonly<{ obstacle: string | null }>;

/** References that were asked for in vain, and why. */
export type Unavailable = ReadonlyMap<string, string>;

/**
 * Takes the first place without an obstacle that is not known to lack the image; `later` says why one behind it is
 * not taken.
 */
export function takeFirst(
  places: readonly Place[],
  unavailable: Unavailable,
  later: (place: Place, taken: Place) => string,
): readonly ImageCandidate[] {
  const obstacleOf = ({ obstacle, reference }: Place) => obstacle ?? unavailable.get(reference ?? "") ?? null;
  const taken = places.find((place) => obstacleOf(place) === null);
  return places.map((place) => {
    const { obstacle: _, ...candidate } = place;
    const obstacle = obstacleOf(place);
    if (place === taken) return { ...candidate, taken: true, reason: null };
    return { ...candidate, taken: false, reason: obstacle ?? (taken ? later(place, taken) : null) };
  });
}
