import { expect, test } from "vitest";
import { deleteImageList, findUnneeded, type Judging, type StoredImage } from "./unneeded.ts";

const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;
const [a, b, c, d] = ["a", "b", "c", "d"].map(digestOf) as [string, string, string, string];
const own = "m.lan/own";

type Manifest = Pick<StoredImage, "size" | "blobs" | "children" | "subject">;

function image(blobs: Readonly<Record<string, number>> = {}, subject?: string): Manifest {
  const parts = Object.entries(blobs).map(([digest, size]) => ({ digest, size }));
  return { size: 1, blobs: parts, children: [], subject };
}
const list = (...children: readonly string[]): Manifest => ({
  size: 1,
  blobs: [],
  children,
  subject: undefined,
});

function repository(
  manifests: Readonly<Record<string, Manifest>>,
  tags: Readonly<Record<string, string>> = {},
  name = own,
): readonly StoredImage[] {
  return Object.entries(manifests).map(([digest, manifest]) => ({
    ...manifest,
    repository: name,
    digest,
    tags: Object.keys(tags).filter((tag) => tags[tag] === digest),
  }));
}

const judging = (digests: readonly string[], others: Partial<Judging> = {}): Judging => ({
  digests: new Set(digests),
  tags: new Set(),
  content: new Set(),
  own: [own],
  ...others,
});

const others = (manifests: Readonly<Record<string, Manifest>>) => repository(manifests, {}, "m.lan/others");
const signature = { [`${a.replace(":", "-")}.sig`]: b };

test.for<{
  what: string;
  repositories: readonly (readonly StoredImage[])[];
  judged: Judging;
  listed: readonly string[];
}>([
  {
    what: "nothing is needed",
    repositories: [repository({ [a]: image() })],
    judged: judging([]),
    listed: [a],
  },
  {
    what: "an image of a list is needed",
    repositories: [repository({ [a]: list(b, c), [b]: image(), [c]: image(), [d]: image() })],
    judged: judging([b]),
    listed: [d],
  },
  {
    what: "a list is not needed",
    repositories: [repository({ [a]: list(b, c), [b]: image() })],
    judged: judging([]),
    listed: [a, b],
  },
  {
    what: "one of two tags is needed",
    repositories: [repository({ [a]: image(), [b]: image() }, { v1: a, stable: a, v2: b })],
    judged: judging([], { tags: new Set(["stable"]) }),
    listed: [b],
  },
  {
    what: "an image with a signature is needed",
    repositories: [repository({ [a]: image(), [b]: image() }, signature)],
    judged: judging([a]),
    listed: [],
  },
  {
    what: "an image with an attached one is needed",
    repositories: [repository({ [a]: image(), [b]: image({}, a) })],
    judged: judging([a]),
    listed: [],
  },
  {
    what: "another repository has the image, whose users are not known",
    repositories: [repository({ [a]: image() }), others({ [b]: list(a) })],
    judged: judging([]),
    listed: [],
  },
  {
    what: "only the content of releases is judged",
    repositories: [repository({ [a]: image(), [b]: image(), [c]: image() }, signature)],
    judged: judging([], { own: [], content: new Set([a]) }),
    listed: [a, b],
  },
  {
    what: "the repository is judged by a path that only begins alike",
    repositories: [repository({ [a]: image() }, {}, "m.lan/owner")],
    judged: judging([]),
    listed: [],
  },
])("When $what, only images that nothing needs should be listed", ({ repositories, judged, listed }) => {
  expect(findUnneeded(repositories.flat(), judged).images.map(({ digest }) => digest)).toEqual(listed);
});

test("When images share layers, only the bytes that no image that stays has should count, each blob once", () => {
  const found = findUnneeded(
    [
      repository({
        [a]: image({ base: 100, x: 10, y: 20 }),
        [b]: image({ y: 20 }),
        [c]: image({ base: 100 }),
      }),
      others({ [d]: image({ x: 10, z: 5 }) }),
    ].flat(),
    judging([c]),
  );
  expect(found.images.map(({ digest, bytes }) => [digest, bytes])).toEqual([
    [a, 21],
    [b, 21],
  ]);
  expect(found.bytes).toBe(22);
  expect(found.notJudged).toEqual([{ repository: "m.lan/others", bytes: 15 }]);
});

type Item = Readonly<Record<"imageName" | "imageReference" | "type", string>>;

/** Reports whether oc-mirror deletes an item at a destination. Source: internal/pkg/delete/delete_images.go:138. */
function isDeleted({ imageName, imageReference, type }: Item, destination: string): boolean {
  const [, name = ""] = /^docker:\/\/([^@]+)@sha256:[0-9a-f]{64}$/.exec(imageReference) ?? [];
  const paths = new Map([
    ["ocpRelease", `${destination}/openshift/release-images`],
    ["ocpReleaseContent", `${destination}/openshift/release`],
  ]);
  const isInPath = type === "generic" ? name.startsWith(`${destination}/`) : name === paths.get(type);
  return isInPath && `docker://${imageName}` === imageReference;
}

test.for(["m.lan", "m.lan:8443/ocp", "m.lan/a/b"])(
  "When images are deleted from %s, oc-mirror should accept each, and go on where one of a deleted list is gone",
  (destination) => {
    const paths = ["openshift/release-images", "openshift/release", "x/openshift/release", "apps/web"];
    const images = paths.flatMap((path) =>
      [["v1"], []].map((tags) => ({ repository: `${destination}/${path}`, digest: a, tags, bytes: 1 })),
    );
    const { items } = deleteImageList(images, destination) as { items: readonly Item[] };
    expect(items.filter((item) => !isDeleted(item, destination))).toEqual([]);
    expect(items.map(({ type }) => type).filter((type) => type !== "generic")).toEqual([
      "ocpRelease",
      "ocpReleaseContent",
    ]);
  },
);
