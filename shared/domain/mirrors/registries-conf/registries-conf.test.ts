import { parse } from "@iarna/toml";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultRegistriesConf, defaultTemplate, tryParseRegistriesConf } from "./base-file.ts";
import { anEntry } from "./fixtures.ts";
import { encodeRegistriesConf, encodeSearchRegistries, type RegistriesConf } from "./registries-conf.ts";

const topLevel = 'short-name-mode = ""\nadditional-layer-store-auth-helper = ""\n';

describe("encodeRegistriesConf", () => {
  test("When nothing is configured, it should write the template with the keys that the library adds", () => {
    expect(encodeRegistriesConf(defaultRegistriesConf)).toBe(
      `unqualified-search-registries = ["registry.access.redhat.com", "docker.io"]\n${topLevel}`,
    );
  });

  test("When names have the form of credentials, it should write them as they are", () => {
    const location = "a:password@q.io";
    const mirrors = [
      { location: "m.local/dckr_pat_abcdefghijklmnopqrstuvwxyz1", insecure: false, pullFromMirror: "" },
    ];
    const text = encodeRegistriesConf({
      ...defaultRegistriesConf,
      entries: [anEntry(location, { mirrors })],
    });
    expect(text).toContain(`location = "${location}"`);
    expect(text).toContain(`location = "${mirrors[0]?.location}"`);
  });

  test.for<{ name: string; conf: Partial<RegistriesConf>; text: string }>([
    { name: "the search list is not given", conf: {}, text: topLevel },
    {
      name: "the search list is empty",
      conf: { unqualifiedSearchRegistries: [] },
      text: `unqualified-search-registries = []\n${topLevel}`,
    },
    {
      name: "a string has to be escaped",
      conf: { unqualifiedSearchRegistries: ['"\\\b\t\n\f\r\u0000\u000b\u001f\u007fé'] },
      text: `unqualified-search-registries = ["\\"\\\\\\b\\t\\n\\f\\r\\u0000\\u000b\\u001f\\u007fé"]\n${topLevel}`,
    },
  ])("When $name, it should write it as the library does", ({ conf, text }) => {
    expect(
      encodeRegistriesConf({ shortNameMode: "", additionalLayerStoreAuthHelper: "", entries: [], ...conf }),
    ).toBe(text);
  });

  test("When a search list is given, it should write the drop-in's three lines", () => {
    expect(encodeSearchRegistries(["b.io", "a.io"])).toBe(
      `unqualified-search-registries = ["b.io", "a.io"]\n${topLevel}`,
    );
  });

  const text = fc.string({ unit: fc.constantFrom(...'a.*/"\\\n\u0001\u007fé'), maxLength: 8 });
  const mirror = fc.record({
    location: fc.string({ unit: fc.constantFrom(...'a.*/"\\\n\u0001\u007fé'), minLength: 1, maxLength: 8 }),
    insecure: fc.boolean(),
    pullFromMirror: fc.constantFrom("", "digest-only", "tag-only"),
  });
  const entry = fc.record({
    prefix: text,
    location: text,
    insecure: fc.boolean(),
    blocked: fc.boolean(),
    mirrorByDigestOnly: fc.boolean(),
    mirrors: fc.array(mirror, { maxLength: 3 }),
  });
  const conf = fc.record(
    {
      unqualifiedSearchRegistries: fc.array(text, { maxLength: 3 }),
      shortNameMode: text,
      additionalLayerStoreAuthHelper: text,
      entries: fc.array(entry, { maxLength: 4 }),
    },
    { requiredKeys: ["shortNameMode", "additionalLayerStoreAuthHelper", "entries"] },
  );

  test("When any file is encoded and parsed again, it should give the same file", () => {
    fc.assert(
      fc.property(conf, (given) => {
        expect(tryParseRegistriesConf(encodeRegistriesConf(given))).toEqual({ conf: given });
      }),
    );
  });
});

describe("tryParseRegistriesConf", () => {
  test("When it reads the default template, it should give what is used without parsing it", () => {
    expect(tryParseRegistriesConf(defaultTemplate)).toEqual({ conf: defaultRegistriesConf });
    expect(parse(defaultTemplate)).toEqual({
      "unqualified-search-registries": ["registry.access.redhat.com", "docker.io"],
    });
  });

  test("When there are comments and unknown keys, it should drop them", () => {
    const read = tryParseRegistriesConf(
      '# hello\nfoo = 1\n[[registry]]\nlocation = "q.io" # here\nx = 2\n[[registry.mirror]]\nlocation = "m"\ny = 3\n',
    );
    expect(read).toEqual({
      conf: {
        shortNameMode: "",
        additionalLayerStoreAuthHelper: "",
        entries: [
          anEntry("q.io", {
            mirrors: [{ location: "m", insecure: false, pullFromMirror: "" }],
          }),
        ],
      },
    });
  });

  test.for([
    { name: "keys have capitals", text: '[[Registry]]\nLocation = "q.io"\n' },
    { name: "lines end with \\r\\n", text: '\ufeff# hello\r\n[[registry]]\r\nlocation = "q.io"\r\n' },
    { name: "aliases are no table", text: 'aliases = 1\n[[registry]]\nlocation = "q.io"\n' },
  ])("When $name, it should read the entries", ({ text }) => {
    expect(tryParseRegistriesConf(text)).toMatchObject({ conf: { entries: [anEntry("q.io")] } });
  });

  test.for([
    ["a = 1 # \u0000", /control character/],
    ['[[registry]]\nlocation = "q.io"\npull-from-mirror = "all"', /pull-from-mirror is set for a registry/],
    ["a = [", /at row 1/],
    ['unqualified-search-registries = "q.io"', /unqualified-search-registries must be a list/],
    ["unqualified-search-registries = [1]", /must be a list of strings/],
    ["credential-helpers = 1", /credential-helpers must be a list of strings/],
    ["short-name-mode = 1", /short-name-mode must be a string/],
    ['registry = "q.io"', /registry must be a list of tables/],
    ["registry = [1]", /registry must be a list of tables/],
    ['[[registry]]\nblocked = "yes"', /blocked must be true or false/],
    ["[[registry]]\nlocation = 1", /location must be a string/],
    ["[[registry]]\nmirror = 1", /mirror must be a list of tables/],
    ["[aliases]\na = 1", /a must be a string/],
  ] as const)("When the file is %s, it should return the problem", ([text, problem]) => {
    expect(tryParseRegistriesConf(text)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
