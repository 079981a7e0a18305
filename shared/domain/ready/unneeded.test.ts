import { expect, test } from "vitest";
import { findUnneeded, type Judging, type StoredManifest, type StoredRepository } from "./unneeded.ts";

const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;
const [a, b, c, d] = ["a", "b", "c", "d"].map(digestOf) as [string, string, string, string];
const own = "m.lan/own";

function image(blobs: Readonly<Record<string, number>> = {}, subject?: string): StoredManifest {
  const parts = Object.entries(blobs).map(([digest, size]) => ({ digest, size }));
  return { size: 1, blobs: parts, children: [], ...(subject === undefined ? {} : { subject }) };
}
const list = (...children: readonly string[]): StoredManifest => ({ size: 1, blobs: [], children });

function repository(
  manifests: Readonly<Record<string, StoredManifest>>,
  tags: Readonly<Record<string, string>> = {},
  name = own,
): StoredRepository {
  return { name, tags: new Map(Object.entries(tags)), manifests: new Map(Object.entries(manifests)) };
}

const judging = (digests: readonly string[], others: Partial<Judging> = {}): Judging => ({
  digests: new Set(digests),
  tags: new Set(),
  releaseContent: new Set(),
  own: [own],
  ...others,
});

const others = (manifests: Readonly<Record<string, StoredManifest>>) =>
  repository(manifests, {}, "m.lan/others");
const signature = { [`${a.replace(":", "-")}.sig`]: b };

test.for<{
  what: string;
  repositories: readonly StoredRepository[];
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
    judged: judging([], { own: [], releaseContent: new Set([a]) }),
    listed: [a, b],
  },
  {
    what: "the repository is judged by a path that only begins alike",
    repositories: [repository({ [a]: image() }, {}, "m.lan/owner")],
    judged: judging([]),
    listed: [],
  },
])("When $what, only images that nothing needs should be listed", ({ repositories, judged, listed }) => {
  expect(findUnneeded(repositories, judged).images.map(({ digest }) => digest)).toEqual(listed);
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
    ],
    judging([c]),
  );
  expect(found.images.map(({ digest, bytes }) => [digest, bytes])).toEqual([
    [a, 21],
    [b, 21],
  ]);
  expect(found.bytes).toBe(22);
  expect(found.notJudged).toEqual([{ repository: "m.lan/others", bytes: 15 }]);
});
