import { describe, expect, test } from "vitest";
import { hasErrors } from "../../issues/issue.ts";
import { configureMirrors, type MirrorInput, previousOf } from "../configuration.ts";
import { anImage, anImageDigestMirrorSet, anImageTagMirrorSet, type RuleSpec } from "../fixtures.ts";
import { showEntries } from "../registries-conf/fixtures.ts";

/* A rule that is left out never opens what was closed. */

const never = { mirrorSourcePolicy: "NeverContactSource" };
const rules = (...list: readonly unknown[]) => [anImageDigestMirrorSet("acme", list)];
const closed = (source: string, ...mirrors: readonly unknown[]) => ({ source, mirrors, ...never });
const open = (source: string, ...mirrors: readonly unknown[]) => ({ source, mirrors });
const typo = "m.lab/App";

const files = (objects: MirrorInput["objects"], more: Partial<MirrorInput> = {}) =>
  configureMirrors({ objects, ...more }).files;

const render = (objects: MirrorInput["objects"], applied?: ReturnType<typeof files>) =>
  configureMirrors({ objects, ...(applied ? { previous: previousOf(applied) } : {}) });

type Case = Readonly<{
  name: string;
  applied?: MirrorInput["objects"];
  objects: MirrorInput["objects"];
  entries: readonly string[];
}>;

const cases: readonly Case[] = [
  {
    name: "a mirror is invalid, it should use the others and stay closed",
    objects: rules(closed("a.io", "m.lab/a", typo, "n.lab/a")),
    entries: ["a.io blocked m.lab/a n.lab/a"],
  },
  {
    name: "the only mirror is invalid, it should stay closed",
    objects: rules(closed("a.io", typo)),
    entries: ["a.io blocked"],
  },
  {
    name: "an applied mirror became invalid, nothing should change",
    applied: rules(closed("a.io", "m.lab/app", "n.lab/a")),
    objects: rules(closed("a.io", typo, "n.lab/a")),
    entries: ["a.io blocked m.lab/app n.lab/a"],
  },
  {
    name: "a mirror is added beside an invalid one, it should come after the applied ones",
    applied: rules(closed("a.io", "m.lab/app", "n.lab/a")),
    objects: rules(closed("a.io", "new.lab/a", typo)),
    entries: ["a.io blocked m.lab/app n.lab/a new.lab/a"],
  },
  {
    name: "a mirror of an open source became invalid, it should keep the applied ones",
    applied: rules(open("a.io", "m.lab/app", "n.lab/a")),
    objects: rules(open("a.io", typo, "n.lab/a")),
    entries: ["a.io m.lab/app n.lab/a"],
  },
  {
    name: "the rule would open its source, it should stay closed as it is applied",
    applied: rules(closed("a.io", "m.lab/a")),
    objects: rules(open("a.io", "m.lab/a", typo)),
    entries: ["a.io blocked m.lab/a"],
  },
  {
    name: "the rule would open a part of a closed source, that should stay closed too",
    applied: rules(closed("a.io", "m.lab/a")),
    objects: rules(closed("a.io", "m.lab/a"), open("a.io/team", typo)),
    entries: ["a.io blocked m.lab/a"],
  },
  {
    name: "the rule would open a part of a source that is opened, that should stay closed",
    applied: rules(closed("a.io", "m.lab/a")),
    objects: rules(open("a.io", "m.lab/a"), open("a.io/team", typo)),
    entries: ["a.io m.lab/a", "a.io/team blocked m.lab/a/team"],
  },
  {
    name: "the source is one of the mirrors, it should use the others",
    objects: rules(closed("a.io", "m.lab/a", "a.io")),
    entries: ["a.io blocked m.lab/a"],
  },
  {
    name: "a mirror is repeated, it should be there once",
    objects: rules(closed("a.io", "m.lab/a", "m.lab/a")),
    entries: ["a.io blocked m.lab/a"],
  },
  {
    name: "the policy is unknown, it should count as one that forbids contacting the source",
    objects: rules({ ...open("a.io", "m.lab/a"), mirrorSourcePolicy: "neverContactSource" }),
    entries: ["a.io blocked m.lab/a"],
  },
  {
    name: "the mirrors are no list, it should stay closed",
    objects: rules({ source: "a.io", mirrors: "m.lab/a", ...never }),
    entries: ["a.io blocked"],
  },
  {
    name: "a mirror is no string, it should use the others",
    objects: rules(closed("a.io", 5, "m.lab/a")),
    entries: ["a.io blocked m.lab/a"],
  },
  {
    name: "the rule is in a list of another kind, its source should stay closed",
    objects: [
      { ...anImageTagMirrorSet("acme", []), spec: { imageDigestMirrors: [closed("a.io", "m.lab/a")] } },
    ],
    entries: ["a.io blocked"],
  },
  {
    name: "the object has another version, its source should stay closed",
    objects: rules(closed("a.io", "m.lab/a")).map((object) => ({
      ...object,
      apiVersion: "config.openshift.io/v1beta1",
    })),
    entries: ["a.io blocked"],
  },
  {
    name: "the source is invalid, the applied one should stay, and what others changed be applied",
    applied: rules(closed("a.io", "m.lab/a"), closed("b.io", "m.lab/b"), open("c.io", "m.lab/c")),
    objects: rules(closed("a.io:", "m.lab/a"), open("b.io", "m.lab/b")),
    entries: ["a.io blocked m.lab/a", "b.io m.lab/b", "c.io m.lab/c"],
  },
  {
    name: "an object has no readable rules, the applied ones should stay",
    applied: rules(closed("a.io", "m.lab/a")),
    objects: [{ ...anImageDigestMirrorSet("acme", []), spec: { imageDigestMirrors: "a.io" } }],
    entries: ["a.io blocked m.lab/a"],
  },
  {
    name: "rules contradict each other and nothing is applied, the source should be closed",
    objects: [...rules(closed("a.io", "m.lab/a")), anImageTagMirrorSet("tags", [open("a.io", "t.lab/a")])],
    entries: ["a.io blocked m.lab/a t.lab/a"],
  },
];

describe("a rule that is left out", () => {
  test.for(cases)("When $name", ({ applied, objects, entries }) => {
    const rendered = render(objects, applied && files(applied));
    expect(showEntries(rendered.entries)).toEqual(entries);
    expect(hasErrors(rendered.issues)).toBe(true);
    expect(showEntries(render(objects, rendered.files).entries)).toEqual(entries);
  });

  test("When it keeps a block, its error should say so", () => {
    const { issues } = render(rules(closed("a.io", "m.lab/a", typo)));
    expect(issues.map(({ message }) => message)).toEqual([
      `invalid format for mirror "${typo}"; what is left out opens nothing: "a.io" stays blocked`,
    ]);
  });

  test("When its source cannot be read, its error should name the sources that stay blocked", () => {
    const applied = files(rules(closed("a.io", "m.lab/a"), closed("b.io", "m.lab/b")));
    const { issues } = render(rules(closed("a.io:", "m.lab/a")), applied);
    expect(issues.map(({ message }) => message)).toEqual([
      'invalid format for source "a.io:"; what is left out opens nothing: "a.io", "b.io" stay blocked',
    ]);
  });
});

describe("a change without an error", () => {
  const applied = files(rules(closed("a.io", "m.lab/a"), closed("b.io", "m.lab/b")), {
    image: anImage({ blockedRegistries: ["c.io"] }),
  });

  test.for<{ name: string; rules: readonly RuleSpec[]; entries: readonly string[] }>([
    {
      name: "a rule is removed",
      rules: [closed("b.io", "m.lab/b") as RuleSpec],
      entries: ["b.io blocked m.lab/b"],
    },
    { name: "a source is opened", rules: [open("a.io", "m.lab/a") as RuleSpec], entries: ["a.io m.lab/a"] },
  ])("When $name, nothing of it should stay", ({ rules: list, entries }) => {
    expect(showEntries(render(rules(...list), applied).entries)).toEqual(entries);
  });

  test("When the error is in another rule whose source is known, it should be applied all the same", () => {
    const objects = rules(open("a.io", "m.lab/a"), closed("c.io", typo));
    expect(showEntries(render(objects, applied).entries)).toEqual(["a.io m.lab/a", "c.io blocked"]);
  });
});
