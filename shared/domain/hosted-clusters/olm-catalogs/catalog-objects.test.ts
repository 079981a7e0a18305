import { expect, test } from "vitest";
import { imageStreamSpec } from "./catalog-objects.ts";

const images = [
  { name: "community-operators", image: "m.lan/community:v4.20" },
  { name: "redhat-operators", image: "m.lan/redhat:v4.20" },
];
const tag = (name: string, image: string, more: object = {}) => ({
  name,
  from: { kind: "DockerImage", name: image },
  importPolicy: { scheduled: true, importMode: "PreserveOriginal" },
  referencePolicy: { type: "Local" },
  ...more,
});
const community = tag("community-operators", "m.lan/community:v4.20");
const redhat = tag("redhat-operators", "m.lan/redhat:v4.20");
/** A tag as OpenShift's API server stores it. */
const ofServer = { annotations: null, generation: 2 };

test("When there is no stream yet, it should have a tag for each catalog", () => {
  expect(imageStreamSpec(images)).toEqual({ lookupPolicy: { local: true }, tags: [community, redhat] });
});

test("When the API server has stored it with fields of its own, it should not change", () => {
  const stored = {
    dockerImageRepository: "x",
    lookupPolicy: { local: true },
    tags: [
      { ...community, ...ofServer },
      { ...redhat, ...ofServer, importPolicy: { ...redhat.importPolicy, insecure: false } },
    ],
  };
  expect(imageStreamSpec(images, stored)).toEqual(stored);
});

test.for([
  ["another image", tag("redhat-operators", "old.lan/redhat:v4.19", ofServer)],
  ["another policy", { ...redhat, ...ofServer, importPolicy: { scheduled: false } }],
  ["no policy", { name: "redhat-operators", from: redhat.from }],
  ["nothing but its name", { name: "redhat-operators" }],
] as const)("When a tag has %s, it should be replaced, and the others should stay", ([, present]) => {
  const kept = { ...community, ...ofServer };
  const spec = imageStreamSpec(images, { lookupPolicy: { local: false }, tags: [kept, present] });
  expect(spec).toEqual({ lookupPolicy: { local: true }, tags: [kept, redhat] });
});

test.for([undefined, null, "x", { tags: "x" }, { tags: ["x", null] }])(
  "When the present value is %j, it should be replaced",
  (present) => {
    expect(imageStreamSpec(images, present)).toEqual(imageStreamSpec(images));
  },
);

test("When a user has added a tag, it should be removed", () => {
  const spec = imageStreamSpec(images, { tags: [tag("mine", "m.lan/mine"), community, redhat] });
  expect(spec).toEqual(imageStreamSpec(images));
});
