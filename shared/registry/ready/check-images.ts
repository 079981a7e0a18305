import pMap from "p-map";
import { type JudgedImage, judgeImage, type LocationResponse, nextStep } from "../../domain/ready/judge.ts";
import type { ImageRoute } from "../../domain/ready/locations.ts";
import { findMissingBlobs, type MissingBlobs, withMissingBlobs } from "./missing-blobs.ts";
import { type Located, type LocationRequests, readLocation, sizeOf } from "./read-location.ts";

/** Requests to one registry at a time. */
const concurrency = 16;

export type Progress = Readonly<{ what: "images" | "layers"; done: number; total: number }>;

export type ReadinessOptions = LocationRequests &
  Readonly<{
    /** `blobs` asks for every layer as well; `manifests` believes the manifests. */
    depth: "manifests" | "blobs";
    isDisconnected?: boolean;
    onProgress?: (progress: Progress) => void;
  }>;

/** Judged images, in the order of their routes, and the bytes of everything in them, each once. */
export type CheckedImages = Readonly<{
  images: readonly JudgedImage[];
  bytes: number;
  /** The digests of the manifests that were found, by their references. */
  digests: ReadonlyMap<string, string>;
}>;

type Walked = Readonly<{ route: ImageRoute; located: ReadonlyMap<string, Located> }>;

/** Asks the locations of an image in turn, until one decides. */
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

/**
 * Checks whether nodes can pull images: asks the locations of each in the order of its route, until one returns a manifest,
 * then for every layer in that repository, each once.
 */
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
  const digests = located.flatMap(({ location, parts: found }) => {
    const [named] = found?.manifests ?? [];
    return named ? [[location.reference, named.digest] as const] : [];
  });
  return { images, bytes: sizeOf(parts), digests: new Map(digests) };
}
