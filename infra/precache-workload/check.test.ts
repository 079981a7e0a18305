import { expect, test } from "vitest";
import { runWithoutNode } from "../../test/support/precache/workload-without-node.ts";

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const image = (letter: string) => `quay.io/ocp/part@${digest(letter)}`;
const release = `quay.io/ocp/release@${digest("0")}`;
const index = `registry.lab:5000/olm/index@${digest("1")}`;
const payload = {
  "image/release-manifests/image-references": JSON.stringify({
    spec: { tags: ["a", "b", "c"].map((name) => ({ name, from: { name: image(name) } })) },
  }),
};
const request = { "platform.image": `${release}\n`, additionalImages: `${image("d")}\n` };

/** Checks a node that has these images. */
const checkWith = (images: readonly string[], content: Readonly<Record<string, string>> = request) =>
  runWithoutNode({
    content,
    files: { ...payload, pulled: images.map((name) => `${name}\n`).join("") },
    program: "check.sh",
  });

test.for([
  { what: "every image", missing: [], detail: "" },
  { what: "all but one", missing: ["b"], detail: image("b") },
  { what: "all but three", missing: ["a", "c", "d"], detail: `${image("a")}, ${image("c")} and 1 more` },
])(
  "When a node has $what, a check should name what is missing, and pull nothing",
  async ({ missing, detail }) => {
    const there = ["a", "b", "c", "d"].filter((letter) => !missing.includes(letter)).map(image);
    const { code, termination, calls, pulled, log } = await checkWith([release, ...there]);
    expect([code, termination], log).toEqual([0, { reason: "Checked", image: "", detail }]);
    expect(calls.filter((words) => words.includes("pull") || words[0] === "skopeo")).toEqual([]);
    expect(pulled).toEqual([release, ...there]);
    for (const letter of missing) expect(log).toContain(`missing: ${image(letter)}`);
  },
);

test("When the release image is missing, a check should report that its images are not known", async () => {
  const { code, termination, log } = await checkWith([image("d")]);
  expect([code, termination], log).toEqual([0, { reason: "Checked", image: release, detail: release }]);
});

test("When the image of a catalog is missing, a check should report that, and not that it lacks a package", async () => {
  const operators = { "operators.indexes": `${index}\n`, "operators.packagesAndChannels": "ptp:stable\n" };
  const { code, termination, log } = await checkWith([release, ...["a", "b", "c"].map(image)], {
    "platform.image": `${release}\n`,
    ...operators,
  });
  expect([code, termination], log).toEqual([0, { reason: "Checked", image: index, detail: index }]);
});

test("When the request is invalid, a check should end as a run does", async () => {
  const { code, termination } = await checkWith([], { additionalImages: "quay.io/app:v1\n" });
  expect([code, termination.reason]).toEqual([10, "InvalidConfiguration"]);
});
