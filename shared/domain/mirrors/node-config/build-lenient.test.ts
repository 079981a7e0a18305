import { describe, expect, test } from "vitest";
import { configureMirrors } from "../configuration.ts";
import {
  anImage,
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
} from "../fixtures.ts";
import { showEntries } from "../registries-conf/fixtures.ts";

const good = { source: "good.io", mirrors: ["m.lab/good"] };
const compat = { compat: "mco" } as const;

describe("contradicting source policies", () => {
  const objects = [
    anImageDigestMirrorSet("never", [
      { source: "a.io", mirrors: ["n.lab"], mirrorSourcePolicy: "NeverContactSource" },
    ]),
    anImageContentSourcePolicy("old", [{ source: "a.io", mirrors: ["o.lab"] }, good]),
  ];

  test("When nothing was applied before, it should close the source and use the mirrors", () => {
    const rendered = configureMirrors({ objects });
    expect(showEntries(rendered.entries)).toEqual(["a.io blocked n.lab o.lab", "good.io m.lab/good"]);
    expect(rendered).toMatchObject({ applied: 1, leftOut: 2 });
  });

  test("When the source was applied before, it should keep that state and nothing else of it", () => {
    const before = configureMirrors({
      objects: [
        anImageDigestMirrorSet("never", [
          { source: "a.io", mirrors: ["z.lab", "y.lab"], mirrorSourcePolicy: "NeverContactSource" },
          { source: "gone.io", mirrors: ["m.lab"] },
        ]),
        anImageTagMirrorSet("tags", [
          { source: "a.io", mirrors: ["t.lab"], mirrorSourcePolicy: "NeverContactSource" },
        ]),
      ],
    });
    const rendered = configureMirrors({ objects, previous: before });
    expect(showEntries(rendered.entries)).toEqual(["a.io blocked z.lab y.lab t.lab", "good.io m.lab/good"]);
    expect(rendered.entries[0]).toEqual(before.entries[0]);
    expect(rendered.issues.map(({ code }) => code)).toEqual([
      "DeprecatedKind",
      "ConflictingMirrorSourcePolicy",
      "ConflictingMirrorSourcePolicy",
    ]);
  });

  test("When several sources were applied before, it should keep their kinds of pulls, and close others", () => {
    const applied = configureMirrors({
      objects: [
        anImageTagMirrorSet("tags", [{ source: "b.io", mirrors: ["t.lab"] }]),
        {
          apiVersion: "config.openshift.io/v1",
          kind: "ImageSourceTagPolicy",
          metadata: { name: "any" },
          spec: { repositoryTagMirrors: [{ source: "a.io", mirrors: ["y.lab"] }] },
        },
        anImageDigestMirrorSet("digests", [
          { source: "c.io", mirrors: ["d.lab"] },
          { source: "d.io", mirrors: ["e.lab"] },
        ]),
      ],
      image: anImage({ insecureRegistries: ["e.io"] }),
    });
    const contradicting = (policy: string) =>
      anImageDigestMirrorSet(
        policy,
        ["e.io", "d.io", "c.io", "b.io", "a.io"].map((source) => ({
          source,
          mirrors: ["n.lab"],
          mirrorSourcePolicy: policy,
        })),
      );
    const rendered = configureMirrors({
      objects: [
        contradicting("AllowContactingSource"),
        contradicting("NeverContactSource"),
        anImageDigestMirrorSet("good", [good]),
        anImageTagMirrorSet("good", [{ source: "aa.io", mirrors: ["m.lab/good"] }]),
      ],
      previous: applied,
    });
    expect(
      rendered.entries.map(({ location, mirrors }) =>
        [location, ...mirrors.map((mirror) => `${mirror.location} ${mirror.pullFromMirror}`)].join(" "),
      ),
    ).toEqual([
      "c.io d.lab digest-only",
      "d.io e.lab digest-only",
      "e.io n.lab digest-only",
      "good.io m.lab/good digest-only",
      "aa.io m.lab/good tag-only",
      "b.io t.lab tag-only",
      "a.io y.lab ",
    ]);
  });

  test("When what was applied before cannot be read, it should close the source", () => {
    const rendered = configureMirrors({ objects, previous: { registriesConf: "a = [" } });
    expect(showEntries(rendered.entries)).toEqual(["a.io blocked n.lab o.lab", "good.io m.lab/good"]);
  });
});

describe("a wildcard source over scopes without mirrors", () => {
  const input = {
    objects: [anImageDigestMirrorSet("wild", [{ source: "*.corp.io", mirrors: ["m.lab/c"] }, good])],
    image: anImage({ blockedRegistries: ["x.corp.io/ns"] }),
  };

  test("When no mode is set, the scopes should inherit the mirrors, with an issue for the rule", () => {
    const { entries, issues } = configureMirrors(input);
    expect(showEntries(entries)).toEqual([
      "*.corp.io m.lab/c",
      "good.io m.lab/good",
      "x.corp.io/ns blocked m.lab/c/ns",
    ]);
    expect(issues).toMatchObject([
      {
        code: "WildcardSourceNested",
        severity: "error",
        object: { kind: "ImageDigestMirrorSet", name: "wild" },
        path: "spec.imageDigestMirrors[0].source",
        value: "*.corp.io",
        message: expect.stringContaining("x.corp.io/ns"),
      },
    ]);
  });

  test("When the mode is mco, it should refuse everything", () => {
    const refused = configureMirrors(input, compat);
    expect(refused.refused).toBe(true);
    expect(refused.issues[0]?.message).toMatch(
      /^internal error: mirrorsAdjustedForNestedScope for a wildcard scope "\*\.corp\.io"/,
    );
  });
});
