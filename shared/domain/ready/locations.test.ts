import { describe, expect, test } from "vitest";
import { configureMirrors } from "../mirrors/configuration.ts";
import { anImage, anImageDigestMirrorSet, anImageTagMirrorSet } from "../mirrors/fixtures.ts";
import { imageRoutes, isOnNodes } from "./locations.ts";

const digest = `sha256:${"a".repeat(64)}`;

describe("imageRoutes", () => {
  const objects = [
    anImageDigestMirrorSet("a", [
      { source: "quay.io/ns", mirrors: ["m.lan/d"] },
      { source: "never.io", mirrors: ["m.lan/n"], mirrorSourcePolicy: "NeverContactSource" },
    ]),
    anImageTagMirrorSet("a", [{ source: "quay.io/ns", mirrors: ["t.lan/t"] }]),
  ];
  const image = anImage({ insecureRegistries: ["t.lan"], blockedRegistries: ["bad.io"] });
  const { files } = configureMirrors({ objects, image });
  const routeOf = imageRoutes(files);
  const locationsOf = (name: string) => {
    const route = routeOf(name);
    return "problem" in route
      ? route.problem
      : route.locations.map(({ reference, isMirror, insecure, skipped }) =>
          [reference, isMirror ? "mirror" : "source", insecure ? "insecure" : "", skipped?.text ?? ""]
            .filter(Boolean)
            .join(" "),
        );
  };

  test.for([
    {
      name: `quay.io/ns/app@${digest}`,
      locations: [
        `m.lan/d/app@${digest} mirror`,
        `t.lan/t/app@${digest} mirror insecure this mirror serves pulls by tag only`,
        `quay.io/ns/app@${digest} source`,
      ],
    },
    {
      name: "quay.io/ns/app:v1",
      locations: [
        "m.lan/d/app:v1 mirror this mirror serves pulls by digest only",
        "t.lan/t/app:v1 mirror insecure",
        "quay.io/ns/app:v1 source",
      ],
    },
    {
      name: `never.io/app@${digest}`,
      locations: [
        `m.lan/n/app@${digest} mirror`,
        `never.io/app@${digest} source it is in never.io, which is blocked`,
      ],
    },
    { name: "bad.io/app:1", locations: ["bad.io/app:1 source it is in bad.io, which is blocked"] },
    { name: "m.lan/own/index:v4.20", locations: ["m.lan/own/index:v4.20 mirror"] },
    { name: "https://quay.io/a", locations: expect.stringContaining("remove the scheme") },
  ])("When a node pulls $name, its locations should be those of the rules", ({ name, locations }) => {
    expect(locationsOf(name)).toEqual(locations);
  });

  test("When a policy rejects an image, no location should be looked at, and the file be named", () => {
    const allowing = configureMirrors({ objects, image: anImage({ allowedRegistries: ["quay.io"] }) });
    const route = imageRoutes(allowing.files);
    expect(route("other.io/app:1")).toMatchObject({
      locations: [
        {
          skipped: {
            reason: "rejected",
            text: expect.stringMatching(/^\/etc\/.*policy\.json rejects the image$/),
          },
        },
      ],
    });
    expect(route("quay.io/app:1")).toMatchObject({ locations: [{ skipped: undefined }] });
  });
});

test.for([
  [`localhost:22625/openshift/release@${digest}`, true],
  [`api-int.hub.example.com:22625/openshift/release@${digest}`, true],
  [`api-int.hub.example.com:5000/x@${digest}`, false],
  [`registry.example.com:22625/x@${digest}`, false],
] as const)("When the location is %s, that it is on the nodes should be %s", ([reference, expected]) => {
  expect(isOnNodes(reference)).toBe(expected);
});
