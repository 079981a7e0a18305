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
  { name: "nothing differs", before: conf(a), after: conf(a), lines: [] },
  {
    name: "a mirror is added",
    before: conf({ ...a, mirrors: ["m.lab/a"] }),
    after: conf(a),
    lines: ['"quay.io/a":', ...table("n.lab/a").map((line) => `+ ${line}`)],
  },
  {
    name: "a mirror changes",
    before: conf(a),
    after: conf({ ...a, mirrors: ["o.lab/a", "n.lab/a"] }),
    lines: ['"quay.io/a":', '-     location = "m.lab/a"', '+     location = "o.lab/a"'],
  },
  {
    name: "a table goes",
    before: conf(a, wildcard),
    after: conf(a),
    lines: [
      '"*.lab":',
      "- [[registry]]",
      '-   prefix = "*.lab"',
      ...table("m.lab/w").map((line) => `- ${line}`),
    ],
  },
  {
    name: "a table comes",
    before: conf(a),
    after: conf(a, wildcard),
    lines: [
      '"*.lab":',
      "+ [[registry]]",
      '+   prefix = "*.lab"',
      ...table("m.lab/w").map((line) => `+ ${line}`),
    ],
  },
  {
    name: "an alias changes",
    before: `${conf(a)}\n[aliases]\n  app = "quay.io/a"\n`,
    after: `${conf(a)}\n[aliases]\n  app = "quay.io/b"\n`,
    lines: ["[aliases]:", '-   app = "quay.io/a"', '+   app = "quay.io/b"'],
  },
  {
    name: "the top level changes",
    before: conf(a),
    after: conf(a).replace('short-name-mode = ""', 'short-name-mode = "enforcing"'),
    lines: ["the top level:", '- short-name-mode = ""', '+ short-name-mode = "enforcing"'],
  },
  {
    name: "tables change places",
    before: conf(a, wildcard),
    after: conf(a, wildcard).replace(/(\n\[\[registry\]\].*?)(\n\[\[registry\]\].*)$/s, "$2$1"),
    lines: ["the same tables in another order"],
  },
])("When $name, it should show just that", ({ before, after, lines }) => {
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
