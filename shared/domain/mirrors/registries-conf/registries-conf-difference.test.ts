import fc from "fast-check";
import { expect, test } from "vitest";
import { configureMirrors } from "../configuration.ts";
import { anImageDigestMirrorSet, type RuleSpec } from "../fixtures.ts";
import { registriesConfDifference } from "./registries-conf-difference.ts";

const conf = (...rules: RuleSpec[]) =>
  configureMirrors({ objects: [anImageDigestMirrorSet("acme", rules)] }).registriesConf;
const a = { source: "quay.io/a", mirrors: ["m.lab/a", "n.lab/a"] };
const wildcard = { source: "*.lab", mirrors: ["m.lab/w"] };
const table = (mirror: string) => [
  "  [[registry.mirror]]",
  `    location = "${mirror}"`,
  '    pull-from-mirror = "digest-only"',
];

test.for([
  ["nothing differs", conf(a), conf(a), []],
  [
    "a mirror is added",
    conf({ ...a, mirrors: ["m.lab/a"] }),
    conf(a),
    ['"quay.io/a":', ...table("n.lab/a").map((line) => `+ ${line}`)],
  ],
  [
    "a mirror changes",
    conf(a),
    conf({ ...a, mirrors: ["o.lab/a", "n.lab/a"] }),
    ['"quay.io/a":', '-     location = "m.lab/a"', '+     location = "o.lab/a"'],
  ],
  [
    "a table goes",
    conf(a, wildcard),
    conf(a),
    ['"*.lab":', "- [[registry]]", '-   prefix = "*.lab"', ...table("m.lab/w").map((line) => `- ${line}`)],
  ],
  [
    "an alias changes",
    `${conf(a)}\n[aliases]\n  app = "quay.io/a"\n`,
    `${conf(a)}\n[aliases]\n  app = "quay.io/b"\n`,
    ["[aliases]:", '-   app = "quay.io/a"', '+   app = "quay.io/b"'],
  ],
  [
    "the top level changes",
    conf(a),
    conf(a).replace('short-name-mode = ""', 'short-name-mode = "enforcing"'),
    ["the top level:", '- short-name-mode = ""', '+ short-name-mode = "enforcing"'],
  ],
  [
    "tables change places",
    conf(a, wildcard),
    conf(a, wildcard).replace(/(\n\[\[registry\]\].*?)(\n\[\[registry\]\].*)$/s, "$2$1"),
    ["the same tables in another order"],
  ],
] as const)("When %s, it should show just that", ([, before, after, lines]) => {
  expect(registriesConfDifference(before, after)).toEqual(lines);
});

test("When two texts are not the same, it should never be silent", () => {
  const rule = fc.record({
    source: fc.constantFrom("a.io", "a.io/b", "*.lab"),
    mirrors: fc.uniqueArray(fc.constantFrom("m", "n", "o"), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(rule), fc.array(rule), (before, after) => {
      const difference = registriesConfDifference(conf(...before), conf(...after));
      expect(difference.length > 0).toBe(conf(...before) !== conf(...after));
    }),
  );
});
