import { parse } from "@iarna/toml";
import fc from "fast-check";
import { expect, test } from "vitest";
import { configureMirrors, type MirrorOptions } from "./configuration.ts";
import {
  aClusterVersion,
  anImage,
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
  releaseImage,
} from "./fixtures.ts";
import { aClusterImagePolicy, anImagePolicy } from "./policies/fixtures.ts";
import { tryParseRegistriesConf } from "./registries-conf/base-file.ts";

const stored = { isStored: true } as const;

const host = fc.constantFrom("a.io", "x.a.io", "*.a.io", "quay.io", "m.lab:5000", "BAD:x/y", "");
const path = fc.constantFrom("", "/n", "/n/b", "/openshift-release-dev/ocp-release");
const location = fc.tuple(host, path).map((parts) => parts.join(""));
const rule = fc.record(
  {
    source: location,
    mirrors: fc.array(location, { maxLength: 3 }),
    mirrorSourcePolicy: fc.constantFrom("NeverContactSource", "AllowContactingSource"),
  },
  { requiredKeys: ["source", "mirrors"] },
);
const rules = fc.array(rule, { maxLength: 3 });
const object = fc
  .tuple(fc.constantFrom(anImageDigestMirrorSet, anImageTagMirrorSet, anImageContentSourcePolicy), rules)
  .map(
    ([make, list]) =>
      (index: number) =>
        make(`set-${index}`, list),
  );
const objects = fc.array(object, { maxLength: 5 }).map((makers) => makers.map((make, index) => make(index)));
const scopes = fc.array(location, { maxLength: 3 });
const image = fc
  .record({ insecureRegistries: scopes, blockedRegistries: scopes }, { requiredKeys: [] })
  .map(anImage);
const input = fc.record({ objects, image, clusterVersion: fc.constant(aClusterVersion(releaseImage)) });
const options = fc.constantFrom<MirrorOptions>({}, { writer: "hubrelay" }, stored);

test("When the objects come in another order, it should give the same result", () => {
  const turned = input.chain((given) =>
    fc.tuple(
      fc.constant(given),
      fc.shuffledSubarray([...given.objects], {
        minLength: given.objects.length,
        maxLength: given.objects.length,
      }),
    ),
  );
  fc.assert(
    fc.property(turned, ([given, shuffled]) => {
      expect(configureMirrors({ ...given, objects: shuffled })).toEqual(configureMirrors(given));
      const [a, b] = [given.objects, shuffled].map((list) =>
        configureMirrors({ ...given, objects: list }, stored),
      );
      expect(b?.files).toEqual(a?.files);
      expect(b?.refused).toBe(a?.refused);
    }),
  );
});

test("When the file that it renders is parsed, it should hold the entries", () => {
  fc.assert(
    fc.property(input, options, (given, chosen) => {
      const { refused, entries, registriesConf } = configureMirrors(given, chosen);
      if (refused) return;
      const read = tryParseRegistriesConf(registriesConf);
      expect("conf" in read && read.conf.entries).toEqual(entries);
      expect(() => parse(registriesConf)).not.toThrow();
    }),
  );
});

test("When hubrelay writes, it should write what machine-config-operator writes, or nothing", () => {
  fc.assert(
    fc.property(input, (given) => {
      const own = configureMirrors(given, { writer: "hubrelay" });
      const stored = configureMirrors(given, { isStored: true });
      if (stored.refused) expect(own.refused).toBe(true);
      if (!own.refused) expect(own.files).toEqual(stored.files);
    }),
    { numRuns: 250 },
  );
});

test("When it refuses, it should name an object and a path, and give nothing to write", () => {
  fc.assert(
    fc.property(input, options, (given, chosen) => {
      const { refused, issues, registriesConf, files } = configureMirrors(given, chosen);
      if (!refused) return;
      expect(
        issues.some(({ severity, object: { name }, path: at }) => severity === "error" && name && at),
      ).toBe(true);
      expect([registriesConf, ...files]).toEqual([""]);
    }),
  );
});

const junk = fc.anything({ maxDepth: 4, withNullPrototype: true });
const kind = fc.constantFrom(
  anImageDigestMirrorSet("x", []),
  anImageContentSourcePolicy("x", []),
  anImageTagMirrorSet("x", []),
  aClusterImagePolicy("x", []),
  anImagePolicy("ns", "x", []),
);
const lists = fc.constantFrom(
  "imageDigestMirrors",
  "repositoryDigestMirrors",
  "imageTagMirrors",
  "scopes",
  "policy",
);
const spec = fc.oneof(junk, fc.dictionary(lists, fc.oneof(junk, fc.array(junk))));

test("When anything at all is given, it should not throw", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(kind, spec), { maxLength: 3 }),
      junk,
      junk,
      options,
      (given, own, status, chosen) => {
        configureMirrors(
          {
            objects: given.map(([shape, content]) => ({ ...shape, spec: content })),
            image: { ...anImage({}), spec: own },
            clusterVersion: { ...aClusterVersion(""), status },
          },
          chosen,
        );
      },
    ),
    { numRuns: 250 },
  );
});
