import { expect, test } from "vitest";
import { type PlannedImage, streamSavings } from "./os-streams.ts";

const image = (layers: Readonly<Record<string, number>>, tag?: string): PlannedImage => ({
  layers: new Map(Object.entries(layers)),
  ...(tag === undefined ? {} : { tag }),
});
const os9 = image({ base: 1, os9: 10 }, "rhel-coreos");
const extensions9 = image({ base: 1, extensions9: 100 }, "rhel-coreos-extensions");
const os10 = image({ base: 1, os10: 1000, shared: 5 }, "rhel-coreos-10");
const extensions10 = image({ extensions10: 10_000, shared: 5 }, "rhel-coreos-10-extensions");
const cli = image({ base: 1, cli: 7 }, "cli");

test("When a release has two OS streams, each should save the layers that only images of the other have", () => {
  expect(streamSavings([cli, os9, extensions9, os10, extensions10])).toEqual([
    { stream: "rhel-9", savedBytes: 11_005 },
    { stream: "rhel-10", savedBytes: 110 },
  ]);
});

test.for([
  { what: "a release has one OS stream", images: [cli, os9, extensions9] },
  { what: "patterns leave out one of them", images: [cli, os10, extensions10] },
  { what: "there is no release", images: [image({ own: 8 })] },
])("When $what, there should be no savings", ({ images }) => {
  expect(streamSavings(images)).toEqual([]);
});
