import { describe, expect, test } from "vitest";
import { aDigestMirrorSet } from "../../../../test/support/hub/objects.ts";
import { knownCatalogs } from "../facts/hypershift.ts";
import { aReadHostedCluster } from "../fixtures.ts";
import { mirrorsOf } from "../overrides/management-mirrors.ts";
import { catalogSources, imageStreamSpec } from "./catalog-objects.ts";
import {
  catalogAnnotationNames,
  catalogAnnotations,
  type MirroredCatalog,
  mirroredCandidates,
  mirroredIssues,
  untakenMirrors,
} from "./mirrored-catalogs.ts";

const images = [
  { name: "community-operators", image: "m.lan/community:v4.20" },
  { name: "redhat-operators", image: "m.lan/redhat:v4.20" },
];
const tag = (name: string, image: string, more: object = {}) => ({
  name,
  from: { kind: "DockerImage", name: image },
  importPolicy: { scheduled: true, importMode: "PreserveOriginal" },
  referencePolicy: { type: "Local" },
  ...more,
});
const community = tag("community-operators", "m.lan/community:v4.20");
const redhatTag = tag("redhat-operators", "m.lan/redhat:v4.20");
/** A tag as OpenShift's API server stores it. */
const ofServer = { annotations: null, generation: 2 };

test("When there is no stream yet, it should have a tag for each catalog", () => {
  expect(imageStreamSpec(images)).toEqual({ lookupPolicy: { local: true }, tags: [community, redhatTag] });
});

test("When the API server has stored it with fields of its own, it should not change", () => {
  const stored = {
    dockerImageRepository: "x",
    lookupPolicy: { local: true },
    tags: [
      { ...community, ...ofServer },
      { ...redhatTag, ...ofServer, importPolicy: { ...redhatTag.importPolicy, insecure: false } },
    ],
  };
  expect(imageStreamSpec(images, stored)).toEqual(stored);
});

test.for([
  ["another image", tag("redhat-operators", "old.lan/redhat:v4.19", ofServer)],
  ["another policy", { ...redhatTag, ...ofServer, importPolicy: { scheduled: false } }],
  ["no policy", { name: "redhat-operators", from: redhatTag.from }],
  ["nothing but its name", { name: "redhat-operators" }],
] as const)("When a tag has %s, it should be replaced, and the others should stay", ([, present]) => {
  const kept = { ...community, ...ofServer };
  const spec = imageStreamSpec(images, { lookupPolicy: { local: false }, tags: [kept, present] });
  expect(spec).toEqual({ lookupPolicy: { local: true }, tags: [kept, redhatTag] });
});

test.for([undefined, null, "x", { tags: "x" }, { tags: ["x", null] }])(
  "When the present value is %j, it should be replaced",
  (present) => {
    expect(imageStreamSpec(images, present)).toEqual(imageStreamSpec(images));
  },
);

test("When a user has added a tag, it should be removed", () => {
  const spec = imageStreamSpec(images, { tags: [tag("mine", "m.lan/mine"), community, redhatTag] });
  expect(spec).toEqual(imageStreamSpec(images));
});

const release = { major: 4, minor: 20 };
const shop = { kind: "HostedCluster", namespace: "clusters", name: "shop" };
const digestOf = (index: number) => `sha256:${String(index).repeat(64)}`;
const redhat = knownCatalogs.at(-1);
if (!redhat) throw new Error("there are default catalogs");

const foundIn = (namespace: string, tag = "v4.20"): readonly MirroredCatalog[] =>
  knownCatalogs.map((catalog, index) => ({
    catalog,
    image: `${namespace}/${catalog.repository}:${tag}`,
    digest: digestOf(index),
  }));

describe("where mirrors have catalogs", () => {
  const mirrors = (...rules: readonly Readonly<{ source: string; mirrors: readonly string[] }>[]) =>
    mirrorsOf([aDigestMirrorSet("olm", rules)]);

  test("When several sources match a catalog, it should look in the nearest one's mirrors, newest release first", () => {
    const found = mirrors(
      { source: "registry.redhat.io", mirrors: ["wide.example.com"] },
      { source: "registry.redhat.io/redhat", mirrors: ["m1.example.com/olm", "m2.example.com:5000/olm"] },
      { source: "quay.io", mirrors: ["other.example.com"] },
    );
    const candidates = mirroredCandidates(redhat, release, found);
    expect(candidates.slice(0, 4)).toEqual([
      "m1.example.com/olm/redhat-operator-index:v4.20",
      "m2.example.com:5000/olm/redhat-operator-index:v4.20",
      "m1.example.com/olm/redhat-operator-index:v4.19",
      "m2.example.com:5000/olm/redhat-operator-index:v4.19",
    ]);
    expect(candidates).toHaveLength(8);
  });

  test("When no mirror covers the catalogs, it should return nothing", () => {
    expect(
      mirroredCandidates(redhat, release, mirrors({ source: "quay.io", mirrors: ["m.example.com"] })),
    ).toEqual([]);
  });
});

describe("annotations", () => {
  test("When all catalogs were found in one namespace, it should name each by digest, and the namespace", () => {
    expect(catalogAnnotations(foundIn("m.example.com:5000/olm"))).toEqual({
      "hypershift.openshift.io/certified-operators-catalog-image": `m.example.com:5000/olm/certified-operator-index@${digestOf(0)}`,
      "hypershift.openshift.io/community-operators-catalog-image": `m.example.com:5000/olm/community-operator-index@${digestOf(1)}`,
      "hypershift.openshift.io/olm-catalogs-is-registry-overrides":
        "registry.redhat.io/redhat=m.example.com:5000/olm",
      "hypershift.openshift.io/redhat-marketplace-catalog-image": `m.example.com:5000/olm/redhat-marketplace-index@${digestOf(2)}`,
      "hypershift.openshift.io/redhat-operators-catalog-image": `m.example.com:5000/olm/redhat-operator-index@${digestOf(3)}`,
    });
  });

  test("When annotations are compared, all that can be written should be", () => {
    expect(catalogAnnotationNames.toSorted()).toEqual(
      Object.keys(catalogAnnotations(foundIn("m.example.com/olm"))).sort(),
    );
    expect(catalogAnnotationNames).toHaveLength(5);
  });

  test("When a mirror has another name for a catalog, it should be only by digest, with a warning", () => {
    const renamed = [{ catalog: redhat, image: "m.example.com/olm/index:v4.20", digest: digestOf(1) }];
    expect(catalogAnnotations(renamed)).toEqual({
      "hypershift.openshift.io/redhat-operators-catalog-image": `m.example.com/olm/index@${digestOf(1)}`,
    });
    expect(mirroredIssues(aReadHostedCluster(), release, renamed)).toEqual([
      {
        code: "RenamedCatalog",
        severity: "warning",
        object: shop,
        path: 'metadata.annotations["hubrelay.dev/olm-catalogs"]',
        value: "m.example.com/olm/index:v4.20",
        message:
          "The mirror has redhat-operators under a name other than redhat-operator-index, which no override can express",
        remedy: "Mirror it as …/redhat-operator-index.",
      },
    ]);
  });

  test("When a mirror has a catalog at its root, no override should name it: HyperShift would add a namespace", () => {
    const atRoot = foundIn("m.example.com:5000");
    expect(Object.keys(catalogAnnotations(atRoot))).not.toContain(
      "hypershift.openshift.io/olm-catalogs-is-registry-overrides",
    );
    expect(mirroredIssues(aReadHostedCluster(), release, atRoot).map(({ code }) => code)).toEqual(
      Array(4).fill("RenamedCatalog"),
    );
  });

  test("When the mirror is behind the release, it should report that, and what a guest then uses", () => {
    const issues = (placement: string) =>
      mirroredIssues(
        aReadHostedCluster({ spec: { olmCatalogPlacement: placement } }),
        release,
        foundIn("m.example.com/olm", "v4.19"),
      );
    expect(issues("management")).toHaveLength(4);
    expect(issues("management")[0]).toEqual({
      code: "OlderCatalog",
      severity: "warning",
      object: shop,
      path: 'metadata.annotations["hubrelay.dev/olm-catalogs"]',
      value: "m.example.com/olm/certified-operator-index:v4.19",
      message: "The mirror has certified-operators for v4.19 and not for v4.20",
      remedy: "Mirror certified-operator-index:v4.20.",
    });
    expect(issues("guest")[0]?.message).toBe(
      "The mirror has certified-operators for v4.19 and not for v4.20, which is what HyperShift takes in the guest without checking",
    );
    expect(mirroredIssues(aReadHostedCluster(), release, foundIn("m.example.com/olm"))).toEqual([]);
  });
});

describe("mirrors that HyperShift does not take for catalogs", () => {
  const images = knownCatalogs.map(({ imageAnnotation }) => [imageAnnotation, `m.lan/x@${digestOf(1)}`]);
  const root = new Map([["registry.redhat.io", ["m.lan", "n.lan/x"]]]);
  const pairs = "registry.redhat.io/redhat=m.lan/redhat,registry.redhat.io/redhat=n.lan/x/redhat";
  test.for([
    ["of the registry", {}, root, pairs],
    [
      "of the namespace",
      {},
      new Map([["registry.redhat.io/redhat", ["m.lan/o"]]]),
      "registry.redhat.io/redhat=m.lan/o",
    ],
    ["of another registry", {}, new Map([["quay.io", ["m.lan"]]]), undefined],
    [
      "that the annotation names",
      { "hypershift.openshift.io/olm-catalogs-is-registry-overrides": pairs },
      root,
      undefined,
    ],
    ["that hubrelay writes", { "hubrelay.dev/olm-catalogs": "from-mirrors" }, root, undefined],
    ["beside images by digest", Object.fromEntries(images), root, undefined],
  ] as const)(
    "When there are mirrors %s, the annotation to set should be reported unless one decides",
    ([, annotations, overrides, wanted]) => {
      const issues = untakenMirrors(aReadHostedCluster({ annotations }), overrides);
      expect(issues.map(({ code, severity, remedy }) => [code, severity, remedy])).toEqual(
        wanted === undefined
          ? []
          : [
              [
                "CatalogMirrorsNotTaken",
                "warning",
                `Set the annotation to ${wanted}, if the mirrors have the catalogs.`,
              ],
            ],
      );
    },
  );
});

describe("objects", () => {
  const images = knownCatalogs.map(({ name }) => ({ name, image: `m.example.com/olm/${name}:v4.20` }));

  test.for([
    ["management", { address: "redhat-operators:50051" }],
    ["guest", { image: "m.example.com/olm/redhat-operators:v4.20" }],
  ] as const)(
    "When the placement is %s, a CatalogSource should point there and nowhere else",
    ([placement, place]) => {
      const source = catalogSources(placement, images).at(-1);
      expect(source).toEqual({
        apiVersion: "operators.coreos.com/v1alpha1",
        kind: "CatalogSource",
        metadata: {
          name: "redhat-operators",
          namespace: "openshift-marketplace",
          annotations: {
            "target.workload.openshift.io/management": '{"effect": "PreferredDuringScheduling"}',
          },
        },
        spec: {
          sourceType: "grpc",
          ...place,
          displayName: "Red Hat Operators",
          publisher: "Red Hat",
          priority: -100,
          grpcPodConfig: { securityContextConfig: "restricted" },
          updateStrategy: { registryPoll: { interval: "10m" } },
        },
      });
    },
  );

  test("When catalogs have images, each should be shown under its name, with its priority", () => {
    const shown = (given: typeof images) =>
      catalogSources("guest", given).map(({ metadata, spec }) => {
        const { displayName, priority, image } = Object(spec);
        return [metadata.name, displayName, priority, image];
      });
    expect(shown(images)).toEqual([
      ["certified-operators", "Certified Operators", -200, "m.example.com/olm/certified-operators:v4.20"],
      ["community-operators", "Community Operators", -400, "m.example.com/olm/community-operators:v4.20"],
      ["redhat-marketplace", "Red Hat Marketplace", -300, "m.example.com/olm/redhat-marketplace:v4.20"],
      ["redhat-operators", "Red Hat Operators", -100, "m.example.com/olm/redhat-operators:v4.20"],
    ]);
    expect(shown(images.slice(1, 2)).map(([name]) => name)).toEqual(["community-operators"]);
  });
});
