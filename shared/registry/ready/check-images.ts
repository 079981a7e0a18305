import pMap from "p-map";
import { isDigest } from "../../domain/images/image-reference.ts";
import { hostOf } from "../../domain/images/scope.ts";
import { type JudgedImage, judgeImage, type LocationResponse, nextStep } from "../../domain/ready/judge.ts";
import type { ImageRoute } from "../../domain/ready/locations.ts";
import { sentence } from "../../domain/text/redact.ts";
import {
  accessAt,
  atDigest,
  failureOf,
  type Located,
  type LocationRequests,
  readLocation,
  sizeOf,
} from "./read-location.ts";

/** By `repository@digest`. The value is the response if a request failed, undefined if the blob is missing. */
type MissingBlobs = ReadonlyMap<string, LocationResponse | undefined>;

async function findMissingBlobs(
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

function withMissingBlobs({ location, parts, response }: Located, missing: MissingBlobs): LocationResponse {
  if (response.result !== "found" || !parts) return response;
  const gone = parts.blobs
    .map(({ digest }) => ({ digest, key: atDigest(location.reference, digest) }))
    .filter(({ key }) => missing.has(key));
  const failed = gone.map(({ key }) => missing.get(key)).find((one) => one !== undefined);
  if (failed) return failed;
  const lacking = [...new Set(gone.map(({ digest }) => sentence`blob ${digest.slice(0, 100)}`))];
  return { ...response, lacking: [...response.lacking, ...lacking] };
}

const concurrency = 16;

export type Progress = Readonly<{ what: "images" | "layers"; done: number; total: number }>;

export type ReadinessOptions = LocationRequests &
  Readonly<{
    /** With `manifests`, layers are not requested: the registry is assumed to have all listed layers. */
    depth: "manifests" | "blobs";
    isDisconnected?: boolean;
    onProgress?: (progress: Progress) => void;
  }>;

/** The checked images, in the order of the given routes. `bytes` counts a shared layer once. */
export type CheckedImages = Readonly<{
  images: readonly JudgedImage[];
  bytes: number;
  /** The location from which nodes pull each image, in the order of `images`. Undefined if they cannot. */
  located: readonly (Located | undefined)[];
}>;

type Walked = Readonly<{ route: ImageRoute; located: ReadonlyMap<string, Located> }>;

async function walk(route: ImageRoute, requests: LocationRequests): Promise<Walked> {
  const located = new Map<string, Located>();
  const responses = new Map<string, LocationResponse>();
  for (;;) {
    const step = nextStep(route, responses);
    if ("end" in step) return { route, located };
    const found = await readLocation(step.next, requests);
    located.set(step.next.reference, found);
    responses.set(step.next.reference, found.response);
  }
}

/** Checks whether nodes can pull images. Requests the locations of each image in order until one has the manifest. */
export async function checkImages(
  routes: readonly ImageRoute[],
  { depth, isDisconnected = false, onProgress = () => {}, ...requests }: ReadinessOptions,
): Promise<CheckedImages> {
  let done = 0;
  const walked = await pMap(
    routes,
    async (route) => {
      const one = await walk(route, requests);
      onProgress({ what: "images", done: ++done, total: routes.length });
      return one;
    },
    { concurrency },
  );
  const located = walked.flatMap((one) => [...one.located.values()]);
  const onDone = (count: number, total: number) => onProgress({ what: "layers", done: count, total });
  const missing: MissingBlobs =
    depth === "blobs" ? await findMissingBlobs(located, requests, { concurrency, onDone }) : new Map();
  const images = walked.map(({ route, located: found }) => {
    const responses = new Map([...found].map(([key, one]) => [key, withMissingBlobs(one, missing)]));
    return judgeImage(route, responses, { isDisconnected });
  });
  const parts = located.flatMap((one) => [...(one.parts?.manifests ?? []), ...(one.parts?.blobs ?? [])]);
  const chosen = walked.map(({ located: found }, index) => found.get(images[index]?.from ?? ""));
  return { images, bytes: sizeOf(parts), located: chosen };
}
