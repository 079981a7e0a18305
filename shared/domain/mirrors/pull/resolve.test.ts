import { describe, expect, test } from "vitest";
import { tryParseImageReference } from "../../images/image-reference.ts";
import { anEntry } from "../registries-conf/fixtures.ts";
import type { RegistryEntry, RegistryMirror } from "../registries-conf/registries-conf.ts";
import { resolve } from "./pull-sources.ts";

const mirror = (location: string, fields: Partial<RegistryMirror> = {}): RegistryMirror => ({
  location,
  insecure: false,
  pullFromMirror: "digest-only",
  ...fields,
});
const digest = `sha256:${"d".repeat(64)}`;

function resolveText(entries: readonly RegistryEntry[], text: string) {
  const reference = tryParseImageReference(text);
  if (!reference) throw new Error(`${text} is not a reference`);
  return resolve(entries, reference);
}

/** `reference` for what is tried, `(reason) reference` for what is not. */
function shown(entries: readonly RegistryEntry[], text: string): readonly string[] {
  return resolveText(entries, text).candidates.map(({ taken, reason, reference }) =>
    taken ? reference : `(${reason}) ${reference}`,
  );
}

const both = [
  mirror("d.lan"),
  mirror("t.lan", { pullFromMirror: "tag-only" }),
  mirror("b.lan", { pullFromMirror: "" }),
];

/* Locations, order and TLS are compared with containers/image in test/parity/resolve.test.ts; here is why one is skipped. */
describe("the locations of a pull", () => {
  test.for([
    [
      "a digest is pulled",
      [anEntry("a.io", { mirrors: both })],
      `a.io/x@${digest}`,
      [`d.lan/x@${digest}`, `(tag-only) t.lan/x@${digest}`, `b.lan/x@${digest}`, `a.io/x@${digest}`],
    ],
    [
      "a tag is pulled",
      [anEntry("a.io", { mirrors: both })],
      "a.io/x:v",
      ["(digest-only) d.lan/x:v", "t.lan/x:v", "b.lan/x:v", "a.io/x:v"],
    ],
    [
      "the whole entry is limited to digests and a tag is pulled",
      [anEntry("a.io", { mirrors: [mirror("m.lan", { pullFromMirror: "" })], mirrorByDigestOnly: true })],
      "a.io/x:v",
      ["(digest-only) m.lan/x:v", "a.io/x:v"],
    ],
    [
      "the source is blocked",
      [anEntry("a.io", { mirrors: [mirror("t.lan", { pullFromMirror: "tag-only" })], blocked: true })],
      "a.io/x:v",
      ["t.lan/x:v", "(blocked) a.io/x:v"],
    ],
    [
      "a mirror lies in a blocked scope",
      [
        anEntry("a.io", { mirrors: [mirror("m.lan/c"), mirror("n.lan")] }),
        anEntry("m.lan", { blocked: true }),
      ],
      `a.io/x@${digest}`,
      [`(blocked) m.lan/c/x@${digest}`, `n.lan/x@${digest}`, `a.io/x@${digest}`],
    ],
    [
      "a mirror of exactly the repository is a bare host",
      [anEntry("a.io/x", { mirrors: [mirror("m.lan"), mirror("n.lan/y")] })],
      `a.io/x@${digest}`,
      [
        `(not-a-reference) m.lan@${digest}`,
        `(pull-fails) n.lan/y@${digest}`,
        `(pull-fails) a.io/x@${digest}`,
      ],
    ],
    [
      "the bare host is a mirror for the other kind of pull",
      [anEntry("a.io/x", { mirrors: [mirror("m.lan")] })],
      "a.io/x:v",
      ["(digest-only) m.lan", "a.io/x:v"],
    ],
  ] as const)("When $0, it should try $3", ([, entries, image, places]) => {
    expect(shown(entries, image)).toEqual(places);
  });

  test("When a location is blocked, it should name the scope that blocks it", () => {
    const entries = [
      anEntry("a.io", { mirrors: [mirror("mirror.lan/c")] }),
      anEntry("", { prefix: "*.lan" }),
    ];
    const blocking = [...entries, anEntry("mirror.lan", { blocked: true })];
    expect(resolveText(blocking, `a.io/x@${digest}`).candidates[0]).toMatchObject({
      blockedBy: "mirror.lan",
    });
    expect(resolveText(entries, `a.io/x@${digest}`).candidates[0]).toMatchObject({ blockedBy: null });
  });
});
