import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { configureMirrors, type MirrorInput, shownConfiguration } from "../configuration.ts";
import {
  anImage,
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
} from "../fixtures.ts";
import { explainSources, type MirrorExplanation, type SourceExplanation } from "./explain-source.ts";

function explainAll(input: MirrorInput): readonly SourceExplanation[] {
  const { entries, basis } = configureMirrors(input, { writer: "hubrelay" });
  if (!basis) throw new Error("the configuration was refused");
  return explainSources(entries, basis);
}

function explain(scope: string, ...objects: readonly KubernetesObject[]): SourceExplanation {
  const image = objects.find(({ kind }) => kind === "Image");
  const found = explainAll({ objects, ...(image ? { image } : {}) }).find((entry) => entry.scope === scope);
  if (!found) throw new Error(`no entry ${scope}`);
  return found;
}

const digest = (source: string, ...mirrors: string[]) => anImageDigestMirrorSet("d", [{ source, mirrors }]);
const tag = (source: string, ...mirrors: string[]) => anImageTagMirrorSet("t", [{ source, mirrors }]);
const listed = (list: string, index = 0) => ({
  kind: "Image",
  name: "cluster",
  path: `spec.registrySources.${list}[${index}]`,
});

describe("an entry", () => {
  test("When several objects list its mirrors, it should name all of them, kind by kind in the entry's order", () => {
    const { mirrors, inheritsFrom } = explain(
      "a.io",
      digest("a.io", "m.lan", "n.lan"),
      anImageContentSourcePolicy("p", [{ source: "b.io" }, { source: "a.io", mirrors: ["n.lan"] }]),
      tag("a.io", "m.lan"),
    );
    expect(inheritsFrom).toBeNull();
    expect(
      mirrors.map(({ location, pulls, listedBy }) => [location, pulls, ...listedBy.map(({ path }) => path)]),
    ).toEqual([
      ["m.lan", "digest", "spec.imageDigestMirrors[0].mirrors[0]"],
      [
        "n.lan",
        "digest",
        "spec.imageDigestMirrors[0].mirrors[1]",
        "spec.repositoryDigestMirrors[1].mirrors[0]",
      ],
      ["m.lan", "tag", "spec.imageTagMirrors[0].mirrors[0]"],
    ]);
  });

  test("When it has no mirrors of its own, it should name their outer source and mirror", () => {
    const objects = [digest("a.io", "m.lan/c"), anImage({ blockedRegistries: ["a.io/ns"] })];
    const inner = explain("a.io/ns", ...objects);
    expect(inner).toMatchObject({
      inheritsFrom: "a.io",
      blockedBy: [listed("blockedRegistries")],
      mirrors: [
        { location: "m.lan/c/ns", inherited: { scope: "a.io", location: "m.lan/c" }, pulls: "digest" },
      ],
    });
    expect(inner.mirrors[0]?.listedBy).toEqual(explain("a.io", ...objects).mirrors[0]?.listedBy);
  });

  test("When several outer sources have mirrors, it should inherit from the one that was merged first", () => {
    const blocked = anImage({ blockedRegistries: ["a.io/b/c"] });
    const nested = anImageDigestMirrorSet("n", [{ source: "a.io/b", mirrors: ["n.lan"] }]);
    expect(explain("a.io/b/c", digest("a.io", "m.lan"), nested, blocked).inheritsFrom).toBe("a.io");
    expect(explain("a.io/b/c", tag("a.io", "m.lan"), nested, blocked).inheritsFrom).toBe("a.io/b");
  });

  test("When contacting the source is forbidden, it should name these rules", () => {
    const never = { mirrorSourcePolicy: "NeverContactSource" };
    const { blockedBy } = explain(
      "a.io",
      anImageDigestMirrorSet("d", [{ source: "a.io", mirrors: ["m.lan"], ...never }]),
      anImageTagMirrorSet("t", [
        { source: "b.io", mirrors: ["m.lan"] },
        { source: "a.io", mirrors: ["m.lan"], ...never },
      ]),
      anImage({ blockedRegistries: ["z.io", "a.io"] }),
    );
    expect(blockedBy).toEqual([
      { kind: "ImageDigestMirrorSet", name: "d", path: "spec.imageDigestMirrors[0].mirrorSourcePolicy" },
      { kind: "ImageTagMirrorSet", name: "t", path: "spec.imageTagMirrors[1].mirrorSourcePolicy" },
      listed("blockedRegistries", 1),
    ]);
  });

  test("When locations do not need TLS, it should name the listed scopes, separately for source and mirrors", () => {
    const image = anImage({ insecureRegistries: ["m.lan", "*.org", "a.io"] });
    const { insecureBy, mirrors } = explain("a.io", digest("a.io", "m.lan/c", "n.lan"), image);
    expect(insecureBy).toEqual([listed("insecureRegistries", 2)]);
    expect(mirrors.map((mirror) => mirror.insecureBy)).toEqual([[listed("insecureRegistries")], []]);
  });

  test("When it is inherited, a mirror should need TLS as the mirror does that it was made from", () => {
    const image = anImage({ insecureRegistries: ["m.lan/c/ns"], blockedRegistries: ["a.io/ns"] });
    expect(explain("a.io/ns", digest("a.io", "m.lan/c"), image).mirrors[0]?.insecureBy).toEqual([]);
  });

  test("When one scope is requested, it should be the only one", () => {
    const { entries, basis } = configureMirrors({ objects: [digest("a.io", "m.lan"), tag("b.io", "m.lan")] });
    if (!basis) throw new Error("the configuration was refused");
    expect(explainSources(entries, basis, "b.io").map(({ scope }) => scope)).toEqual(["b.io"]);
    expect(explainSources(entries, basis, "c.io")).toEqual([]);
  });
});

/** Reports whether a mirror is its source, or that of the scope around it. */
const isSource = (scope: string, { location, inherited }: MirrorExplanation): boolean =>
  inherited ? inherited.location === inherited.scope : location === scope;

describe("explanations of random configurations", () => {
  const scope = fc.constantFrom("a.io", "a.io/ns", "a.io/ns/app", "x.a.io", "*.a.io", "m.lan");
  const rules = fc.array(
    fc.record({
      source: scope,
      mirrors: fc.array(fc.constantFrom("m.lan", "n.lan/c", "a.io", "x.a.io"), { maxLength: 4 }),
    }),
    { maxLength: 4 },
  );
  const scopes = fc.array(scope, { maxLength: 3 });

  test("When anything is rendered, every mirror and flag should be explained, and nothing else", () => {
    fc.assert(
      fc.property(rules, rules, rules, scopes, scopes, (d, t, p, blockedRegistries, insecureRegistries) => {
        const objects = [
          anImageDigestMirrorSet("d", d),
          anImageTagMirrorSet("t", t),
          anImageContentSourcePolicy("p", p),
        ];
        const input = { objects, image: anImage({ blockedRegistries, insecureRegistries }) };
        const { entries, basis } = shownConfiguration(configureMirrors(input));
        if (!basis) return expect.fail("nothing is shown");
        const explained = explainSources(entries, basis);
        expect(
          explained.map(({ scope: own, mirrors, blockedBy, insecureBy }) => ({
            blocked: blockedBy.length > 0,
            insecure: insecureBy.length > 0,
            mirrors: mirrors.map((mirror) => [
              mirror.location,
              mirror.insecureBy.length > 0,
              // Contradicting rules may put the source itself, which none lists, before a mirror.
              mirror.listedBy.length > 0 || isSource(own, mirror),
            ]),
          })),
        ).toEqual(
          entries.map(({ blocked, insecure, mirrors }) => ({
            blocked,
            insecure,
            mirrors: mirrors.map((mirror) => [mirror.location, mirror.insecure, true]),
          })),
        );
      }),
    );
  });
});
