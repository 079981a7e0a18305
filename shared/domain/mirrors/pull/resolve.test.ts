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
  const tagOnly = mirror("t.lan", { pullFromMirror: "tag-only" });
  const limited = [
    anEntry("a.io", { mirrors: [mirror("m.lan", { pullFromMirror: "" })], mirrorByDigestOnly: true }),
  ];
  const inBlocked = [
    anEntry("a.io", { mirrors: [mirror("m.lan/c"), mirror("n.lan")] }),
    anEntry("m.lan", { blocked: true }),
  ];
  const [whole, bare] = [
    anEntry("a.io", { mirrors: both }),
    anEntry("a.io/x", { mirrors: [mirror("m.lan")] }),
  ];
  const bareFirst = anEntry("a.io/x", { mirrors: [mirror("m.lan"), mirror("n.lan/y")] });

  // A name that ends with "@" has the digest.
  test.for<
    readonly [name: string, entries: readonly RegistryEntry[], image: string, places: readonly string[]]
  >([
    ["a digest is pulled", [whole], "a.io/x@", ["d.lan/x@", "(tag-only) t.lan/x@", "b.lan/x@", "a.io/x@"]],
    [
      "a tag is pulled",
      [whole],
      "a.io/x:v",
      ["(digest-only) d.lan/x:v", "t.lan/x:v", "b.lan/x:v", "a.io/x:v"],
    ],
    ["the entry is limited to digests", limited, "a.io/x:v", ["(digest-only) m.lan/x:v", "a.io/x:v"]],
    [
      "the source is blocked",
      [anEntry("a.io", { mirrors: [tagOnly], blocked: true })],
      "a.io/x:v",
      ["t.lan/x:v", "(blocked) a.io/x:v"],
    ],
    [
      "a mirror lies in a blocked scope",
      inBlocked,
      "a.io/x@",
      ["(blocked) m.lan/c/x@", "n.lan/x@", "a.io/x@"],
    ],
    [
      "a bare host mirrors a repository",
      [bareFirst],
      "a.io/x@",
      ["(not-a-reference) m.lan@", "(pull-fails) n.lan/y@", "(pull-fails) a.io/x@"],
    ],
    ["the bare host mirrors other pulls", [bare], "a.io/x:v", ["(digest-only) m.lan", "a.io/x:v"]],
  ])("When $0, it should try $3", ([, entries, image, places]) => {
    const withDigest = (text: string) => text.replace(/@$/, `@${digest}`);
    expect(shown(entries, withDigest(image))).toEqual(places.map(withDigest));
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
