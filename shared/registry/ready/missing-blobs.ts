import pMap from "p-map";
import { sentence } from "../../domain/credentials/redact.ts";
import { isDigest } from "../../domain/images/image-reference.ts";
import { hostOf } from "../../domain/images/image-scopes.ts";
import type { LocationResponse } from "../../domain/ready/judge.ts";
import { accessAt, atDigest, failureOf, type Located, type LocationRequests } from "./read-location.ts";

/** Blobs that a repository lacks, and those about which the request failed, by `repository@digest`. */
export type MissingBlobs = ReadonlyMap<string, LocationResponse | undefined>;

/** Asks each repository for each blob once, with this many requests to one registry at a time. */
export async function findMissingBlobs(
  located: readonly Located[],
  { contents, access }: LocationRequests,
  { concurrency, onDone }: Readonly<{ concurrency: number; onDone: (done: number, total: number) => void }>,
): Promise<MissingBlobs> {
  const blobs = new Map(
    located.flatMap(({ location, parts }) =>
      (parts?.blobs ?? []).map(({ digest }) => [atDigest(location.reference, digest), { location, digest }]),
    ),
  );
  const missing = new Map<string, LocationResponse | undefined>();
  let done = 0;
  const ask = async ([key, { location, digest }]: readonly [
    string,
    { location: Located["location"]; digest: string },
  ]) => {
    const { reference } = location;
    try {
      const isThere =
        isDigest(digest) && (await contents.hasBlob(reference, digest, accessAt(location, access)));
      if (!isThere) missing.set(key, undefined);
    } catch (error) {
      missing.set(key, failureOf(error, reference));
    }
    onDone(++done, blobs.size);
  };
  const byHost = Map.groupBy(blobs, ([key]) => hostOf(key));
  await Promise.all(byHost.values().map((some) => pMap(some, ask, { concurrency })));
  return missing;
}

/** Returns the response with the blobs that the location lacks. */
export function withMissingBlobs(
  { location, parts, response }: Located,
  missing: MissingBlobs,
): LocationResponse {
  if (response.result !== "found" || !parts) return response;
  const gone = parts.blobs
    .map(({ digest }) => ({ digest, key: atDigest(location.reference, digest) }))
    .filter(({ key }) => missing.has(key));
  const failed = gone.map(({ key }) => missing.get(key)).find((one) => one !== undefined);
  if (failed) return failed;
  const lacking = [...new Set(gone.map(({ digest }) => sentence`blob ${digest.slice(0, 100)}`))];
  return { ...response, lacking: [...response.lacking, ...lacking] };
}
