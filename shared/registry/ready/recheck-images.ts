import pMap from "p-map";
import { type JudgedImage, silentInFront } from "../../domain/ready/judge.ts";
import type { ImageLocation, ImageRoute } from "../../domain/ready/locations.ts";
import { basisOf, type ImageRecord } from "../../domain/ready/record/image-record.ts";
import type { Registry, RegistryAccess, RegistryContents } from "../../ports/registry.ts";
import { checkImages } from "./check-images.ts";
import { accessAt, failureOf, type Located } from "./read-location.ts";

const concurrency = 16;

/** An image to check, with the record of its last check. */
export type ImageQuestion = Readonly<{
  route: ImageRoute;
  architectures: readonly string[];
  before: ImageRecord | undefined;
}>;

/** An image with its new record. */
export type AskedImage = Readonly<{ image: string; record: ImageRecord }>;

type Asking = Readonly<{
  registry: Registry & RegistryContents;
  access: RegistryAccess;
  /** The time for the new records, in RFC 3339 format. */
  at: string;
}>;

function placeOf({ route, before }: ImageQuestion): ImageLocation | undefined {
  return route.locations.find(
    ({ reference, skipped }) => reference === before?.from && skipped === undefined,
  );
}

async function digestAt(place: ImageLocation, { registry, access }: Asking) {
  try {
    const digest = await registry.digest(place.reference, accessAt(place, access));
    return { result: "asked", digest } as const;
  } catch (error) {
    return { result: failureOf(error, place.reference).result, digest: undefined };
  }
}

const withUnresponsive = (unresponsive: readonly string[]) =>
  unresponsive.length > 0 ? { unresponsive } : {};

/** Returns the renewed record if the image is unchanged. Undefined if a full check is needed. */
async function stillThere(question: ImageQuestion, asking: Asking): Promise<ImageRecord | undefined> {
  const { before, route, architectures } = question;
  const place = placeOf(question);
  if (!place || !before?.digest || before.basis !== basisOf(route, architectures)) return undefined;
  const silent: string[] = [];
  for (const location of route.locations.slice(0, route.locations.indexOf(place))) {
    if (location.skipped !== undefined) continue;
    const { result, digest } = await digestAt(location, asking);
    if (digest !== undefined) return undefined;
    if (result === "unreachable") silent.push(location.reference);
  }
  const { digest } = await digestAt(place, asking);
  if (digest !== before.digest) return undefined;
  const { unresponsive: _, ...found } = before;
  const status = place.isMirror ? "ready" : "source-only";
  return { ...found, ...withUnresponsive(silent), status, at: asking.at };
}

type Found = Pick<ImageRecord, "from" | "digest">;

function foundAt({ from }: JudgedImage, located: Located | undefined): Found | undefined {
  const digest = located?.parts?.manifests[0]?.digest;
  return from === null ? undefined : { from, ...(digest === undefined ? {} : { digest }) };
}

/** For the new record of an image whose registry now fails. */
function lastFound({ before, route, architectures }: ImageQuestion): Found {
  if (!before?.from || !before.digest || before.basis !== basisOf(route, architectures)) return {};
  return { from: before.from, digest: before.digest };
}

/** Checks images in registries. If an image is unchanged since its last check, its layers are not checked again. */
export async function recheckImages(
  questions: readonly ImageQuestion[],
  asking: Asking,
): Promise<readonly AskedImage[]> {
  const renewed = await pMap(questions, (question) => stillThere(question, asking), { concurrency });
  const asked = questions.flatMap(({ route: { image } }, index): AskedImage[] => {
    const record = renewed[index];
    return record ? [{ image, record }] : [];
  });
  const others = questions.filter((_, index) => renewed[index] === undefined);
  const { registry, access, at } = asking;
  const byArchitectures = Map.groupBy(others, ({ architectures }) => architectures.toSorted().join());
  for (const some of byArchitectures.values()) {
    const { architectures = [] } = some[0] ?? {};
    const routes = some.map(({ route }) => route);
    const options = { contents: registry, access, architectures, depth: "blobs" } as const;
    const { images, located } = await checkImages(routes, options);
    for (const [index, judged] of images.entries()) {
      const question = some[index];
      if (!question) continue;
      const found =
        foundAt(judged, located[index]) ?? (judged.status === "unreachable" ? lastFound(question) : {});
      const record = {
        status: judged.status,
        at,
        basis: basisOf(question.route, architectures),
        ...found,
        ...withUnresponsive(silentInFront(judged).map(({ location }) => location)),
      };
      asked.push({ image: judged.image, record });
    }
  }
  return asked;
}
