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

/** Takes the first place without an obstacle; `later` says why one behind it is not taken. */
export function takeFirst(
  places: readonly Place[],
  later: (place: Place, taken: Place) => string,
): readonly ImageCandidate[] {
  const taken = places.find(({ obstacle }) => obstacle === null);
  return places.map((place) => {
    const { obstacle, ...candidate } = place;
    if (place === taken) return { ...candidate, taken: true, reason: null };
    return { ...candidate, taken: false, reason: obstacle ?? (taken ? later(place, taken) : null) };
  });
}
