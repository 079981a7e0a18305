import fc from "fast-check";
import { expect, test } from "vitest";
import { tryParseImageReference } from "../images/image-reference.ts";
import { isRecord } from "../json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { NodeFile } from "../machine-config/node-file.ts";
import {
  configureMirrors,
  type MirrorConfiguration,
  type MirrorInput,
  mirrorInputOf,
  previousOf,
} from "./configuration.ts";
import { imageExplainer } from "./explain/explain-image.ts";
import {
  aClusterVersion,
  anImage,
  anImageDigestMirrorSet,
  anImageTagMirrorSet,
  componentRepository,
  payloadRepository,
  releaseImage,
} from "./fixtures.ts";
import { aClusterImagePolicy, anImagePolicy } from "./policies/fixtures.ts";
import { resolve } from "./pull/resolve.ts";

/*
 * Errors in a valid configuration open nothing: no image can be pulled from a place, or without a signature, that neither
 * the valid configuration nor the applied files allow.
 */

const sources = ["a.io", "a.io/n", "a.io/n/b", "*.a.io", "x.a.io", "b.io", "b.io/n"];
const mirrors = ["m.lab/1", "m.lab/2", "n.lab", "b.io/mirror", "a.io/n/mirror"];
const images = [
  ...[
    "quay.io/other/i",
    "a.io/i",
    "a.io/n/i",
    "a.io/n/b/i",
    "x.a.io/i",
    "y.a.io/i",
    "b.io/i",
    "b.io/n/i",
    "m.lab/1",
    "n.lab/i",
  ],
].flatMap((name) => [`${name}:v1`, `${name}@sha256:${"1".repeat(64)}`]);

/** Mirrors in one order: where rules contradict each other, a wildcard source becomes its own mirror and serves nothing. */
const rule = fc.record({
  source: fc.constantFrom(...sources),
  mirrors: fc.subarray(mirrors, { minLength: 1, maxLength: 3 }),
});
const ruleSets = fc.tuple(fc.boolean(), fc.array(rule, { minLength: 1, maxLength: 4 }));
const scopes = fc.uniqueArray(fc.constantFrom(...sources), { maxLength: 3 });
const lists = fc.oneof(
  fc.record(
    { blockedRegistries: scopes, insecureRegistries: fc.subarray(["m.lab", "n.lab"]) },
    { requiredKeys: [] },
  ),
  scopes.map((chosen) => ({ allowedRegistries: ["quay.io", "m.lab", ...chosen] })),
);

const mirrorsOfRelease = [payloadRepository, componentRepository].map((source) => ({
  source,
  mirrors: [`m.lab/${source}`],
}));

/** A configuration without errors: each source has one policy. */
const configuration = fc
  .record({
    sets: fc.array(ruleSets, { maxLength: 3 }),
    closed: scopes,
    lists,
    signed: scopes,
    signedInTeam: scopes,
    isReleaseBlocked: fc.boolean(),
  })
  .map(
    ({ sets, closed, lists: given, signed, signedInTeam, isReleaseBlocked }): readonly KubernetesObject[] => [
      aClusterVersion(releaseImage),
      anImage(
        isReleaseBlocked && "blockedRegistries" in given
          ? { ...given, blockedRegistries: [...(given.blockedRegistries ?? []), "quay.io"] }
          : given,
      ),
      ...(isReleaseBlocked ? [anImageDigestMirrorSet("release", mirrorsOfRelease)] : []),
      ...signed.map((scope, index) => aClusterImagePolicy(`signed-${index}`, [scope])),
      ...signedInTeam.map((scope, index) => anImagePolicy("team", `signed-${index}`, [scope])),
      ...sets.map(([isDigest, rules], index) =>
        (isDigest ? anImageDigestMirrorSet : anImageTagMirrorSet)(
          `set-${index}`,
          rules.map((one) => ({
            ...one,
            ...(closed.includes(one.source) ? { mirrorSourcePolicy: "NeverContactSource" } : {}),
          })),
        ),
      ),
    ],
  );

/** Values that are wrong in every field of the configuration. */
const wrong = fc.constantFrom<unknown>("", "https://a.io", "*.a.io/n", 5, ["", 5]);

/** Every field below a value, by its path. */
function pathsIn(value: unknown): readonly (readonly (string | number)[])[] {
  const fields: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : isRecord(value)
      ? Object.entries(value)
      : [];
  return fields.flatMap(([name, inner]) => [[name], ...pathsIn(inner).map((rest) => [name, ...rest])]);
}

function replaced(value: unknown, [name, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (name === undefined) return by;
  if (Array.isArray(value)) return value.map((item, at) => (at === name ? replaced(item, rest, by) : item));
  if (!isRecord(value)) return value;
  return { ...value, [name]: replaced(value[name], rest, by) };
}

type IsField = (kind: string, path: readonly (string | number)[]) => boolean;

/** The same objects with one to three of these fields of their specs replaced. */
const withErrors = (objects: readonly KubernetesObject[], isField: IsField) => {
  const fields = objects.flatMap(({ kind, spec }, at) =>
    pathsIn(spec)
      .filter((path) => isField(kind, path))
      .map((path) => ({ at, path })),
  );
  if (fields.length === 0) return fc.constant(objects);
  return fc
    .array(fc.record({ field: fc.constantFrom(...fields), by: wrong }), { minLength: 1, maxLength: 3 })
    .map((errors) =>
      objects.map((object, index) => ({
        ...object,
        ...("spec" in object
          ? {
              spec: errors
                .filter(({ field }) => field.at === index)
                .reduce((spec, { field, by }) => replaced(spec, field.path, by), object.spec),
            }
          : {}),
      })),
    );
};

const render = (
  objects: readonly KubernetesObject[],
  applied: readonly NodeFile[] = [],
): MirrorConfiguration => configureMirrors({ ...mirrorInputOf(objects), previous: previousOf(applied) });

type Pulls = ReadonlyMap<string, Readonly<{ places: ReadonlySet<string>; isSigned: boolean }>>;

/** The namespaces of pods: only one has policies of its own. */
const namespaces = ["team", "other"];

/** What a node with these files pulls for a pod: from where, and whether with a signature only. */
function pullsOf(files: readonly NodeFile[], names: readonly string[] = images, namespace = "other"): Pulls {
  const explain = imageExplainer(files, { namespace });
  return new Map(
    names.map((image) => {
      const explanation = explain(image);
      if ("problem" in explanation) throw new Error(explanation.problem);
      const [name] = explanation.names;
      const isRejected = name?.policy.verdict === "reject";
      const taken = isRejected ? [] : (name?.candidates.filter((candidate) => candidate.taken) ?? []);
      return [
        image,
        {
          places: new Set(taken.map(({ reference }) => reference)),
          isSigned: name?.policy.verdict === "signature",
        },
      ];
    }),
  );
}

const brokenIn = (isField: IsField) =>
  configuration.chain((valid) =>
    fc.record({ valid: fc.constant(valid), objects: withErrors(valid, isField), other: configuration }),
  );
// Without an insecure scope TLS is required; it closes nothing.
const broken = brokenIn((_, path) => !path.includes("insecureRegistries"));
const brokenSignatures = brokenIn((kind, [field]) => kind.endsWith("ImagePolicy") && field === "policy");
const brokenRules = brokenIn(
  (kind, [, , field]) => kind.endsWith("MirrorSet") && field !== undefined && field !== "source",
);

/** An error of this kind is one that leaves something out. */
const hasErrors = ({ issues }: MirrorConfiguration) => issues.some(({ severity }) => severity === "error");

test("When errors come into an applied configuration, no image should become pullable from elsewhere or unsigned", () => {
  fc.assert(
    fc.property(broken, ({ valid, objects }) => {
      const applied = render(valid);
      const after = render(objects, applied.files);
      fc.pre(!hasErrors(applied) && hasErrors(after));
      if (after.refused) return;
      for (const namespace of namespaces) {
        const pulls = ({ files }: MirrorConfiguration) => pullsOf(files, images, namespace);
        const [before, ofRest] = [pulls(applied), pulls(render(objects))];
        for (const [image, { places, isSigned }] of pulls(after)) {
          const known = before.get(image);
          const isAllowed = (place: string) =>
            known?.places.has(place) || (place !== image && ofRest.get(image)?.places.has(place));
          expect([...places].filter((place) => !isAllowed(place))).toEqual([]);
          if (places.size > 0) expect(isSigned || !known?.isSigned).toBe(true);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test("When other files are applied, no source of a rule with errors should be contacted that neither they nor its author allow", () => {
  fc.assert(
    fc.property(brokenRules, ({ valid, objects, other }) => {
      const [wanted, applied] = [render(valid), render(other)];
      const after = render(objects, applied.files);
      fc.pre(!hasErrors(wanted) && !applied.refused && hasErrors(after));
      if (after.refused) return;
      const contacts = ({ entries }: MirrorConfiguration, image: string) => {
        const reference = tryParseImageReference(image);
        return (
          reference &&
          resolve(entries, reference).candidates.some(({ reference: to, taken }) => taken && to === image)
        );
      };
      for (const [image, { places }] of pullsOf(after.files)) {
        if (places.has(image)) expect(contacts(wanted, image) || contacts(applied, image)).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

test("When signatures have errors, whatever is applied, no image that needs one should be pulled without", () => {
  fc.assert(
    fc.property(brokenSignatures, ({ valid, objects, other }) => {
      const [wanted, applied] = [render(valid), render(other)];
      const after = render(objects, applied.files);
      fc.pre(!hasErrors(wanted) && !applied.refused && hasErrors(after));
      expect(after.refused).toBe(false);
      for (const namespace of namespaces) {
        const needs = pullsOf(wanted.files, images, namespace);
        for (const [image, { places, isSigned }] of pullsOf(after.files, images, namespace))
          if (needs.get(image)?.isSigned && places.size > 0) expect(isSigned).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
});

test("When a configuration with errors is applied, applying it again should change no pull, and settle", () => {
  fc.assert(
    fc.property(broken, ({ objects, other }) => {
      const first = render(objects, render(other).files);
      if (first.refused) return;
      const second = render(objects, first.files);
      expect(pullsOf(second.files)).toEqual(pullsOf(first.files));
      expect(render(objects, second.files).files).toEqual(second.files);
    }),
    { numRuns: 40 },
  );
});

const repositories = ["r.corp.io/ocp/release", "r.corp.io/ocp/components"];
const aroundRelease = ["r.corp.io", "r.corp.io/ocp", ...repositories];
const blockedRelease = fc.record({
  blocked: fc.subarray(aroundRelease, { minLength: 1 }),
  sources: fc.subarray([...repositories, "r.corp.io/ocp"]),
  mirrors: fc.subarray(["m.lab/1", "n.lab/2"], { minLength: 1 }),
  absent: fc.subarray(["m.lab/1", "n.lab/2"]),
  isMirrorBlocked: fc.boolean(),
});

test("When scopes around the release are blocked, its images should stay pullable, and nothing else in these scopes", () => {
  fc.assert(
    fc.property(blockedRelease, ({ blocked, sources: mirrored, mirrors: to, absent, isMirrorBlocked }) => {
      const digest = `sha256:${"1".repeat(64)}`;
      const of = repositories.map((repository) => `${repository}@${digest}`);
      const input: MirrorInput = {
        objects: [
          anImageDigestMirrorSet(
            "release",
            mirrored.map((source) => ({ source, mirrors: to })),
          ),
        ],
        image: anImage({ blockedRegistries: [...blocked, ...(isMirrorBlocked ? ["m.lab"] : [])] }),
        releaseImage: `r.corp.io/ocp/release@${digest}`,
        absentImages: new Set(
          absent.flatMap((mirror) =>
            ["", "/release", "/components"].map((path) => `${mirror}${path}@${digest}`),
          ),
        ),
      };
      const { files, refused } = configureMirrors({ ...input, releaseImages: of });
      expect(refused).toBe(false);
      const isLost = (place: string) =>
        absent.some((mirror) => place.startsWith(mirror)) || (isMirrorBlocked && place.startsWith("m.lab"));
      const pulls = pullsOf(files, [...of, `r.corp.io/other/i@${digest}`, "r.corp.io/ocp/i:v1"]);
      for (const image of of)
        expect([...(pulls.get(image)?.places ?? [])].filter((place) => !isLost(place))).not.toEqual([]);
      const isBlocked = (image: string) =>
        blocked.some((scope) => !repositories.includes(scope) && image.startsWith(`${scope}/`));
      for (const [image, { places }] of pulls)
        if (!of.includes(image) && isBlocked(image)) expect([...places]).toEqual([]);
      // A block of exactly such a repository exempts nothing, so that nothing remembers it.
      if (blocked.some((scope) => repositories.includes(scope))) return;
      const forgotten = pullsOf(configureMirrors({ ...input, previous: previousOf(files) }).files, of);
      for (const image of of)
        expect([...(forgotten.get(image)?.places ?? [])].filter((place) => !isLost(place))).not.toEqual([]);
    }),
    { numRuns: 40 },
  );
});
