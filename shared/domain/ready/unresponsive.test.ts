import { expect, test } from "vitest";
import type { JudgedImage, LocationResult } from "./judge.ts";
import { silentInFront, unresponsiveRegistries } from "./unresponsive.ts";

/** An image that was looked for at these locations. */
function anImage(...tried: readonly (readonly [location: string, result: LocationResult])[]): JudgedImage {
  const detail = "the registry did not respond in time";
  return {
    image: "quay.io/ns/app:1",
    status: "ready",
    from: null,
    bytes: null,
    tried: tried.map(([location, result]) => ({ location, result, detail })),
  };
}

test("When a mirror in front does not respond, it should be named once, with what nodes wait there", () => {
  const images = [
    anImage(
      ["hangs.lan/a:1", "unreachable"],
      ["hangs.lan/b:1", "unreachable"],
      ["mirror.lan/a:1", "complete"],
    ),
    anImage(["hangs.lan/b/app:1", "unreachable"], ["mirror.lan/b:1", "missing"], ["quay.io/b:1", "missing"]),
    anImage(["mirror.lan/c:1", "complete"]),
  ];
  const [issue, ...others] = unresponsiveRegistries(images.flatMap(silentInFront), images.length);
  expect(others).toEqual([]);
  expect(issue).toMatchObject({
    code: "RegistryUnresponsive",
    severity: "warning",
    object: { kind: "Registry", name: "hangs.lan" },
    message: expect.stringContaining("for 2 of 3 images (the registry did not respond in time)"),
  });
  expect(issue?.message).toContain("wait up to 30 s for a connection, 10 s for TLS");
});

test.for<{ what: string; image: JudgedImage }>([
  {
    what: "responds",
    image: anImage(["mirror.lan/a:1", "missing"], ["mirror2.lan/a:1", "complete"]),
  },
  {
    what: "is the last that nodes ask",
    image: anImage(["mirror.lan/a:1", "missing"], ["quay.io/a:1", "unreachable"], ["b.lan/a:1", "skipped"]),
  },
])("When a registry $what, it should not be named", ({ image }) => {
  expect(silentInFront(image)).toEqual([]);
});
