import { describe, expect, test } from "vitest";
import { aReadHostedCluster } from "../fixtures.ts";
import { catalogOverridesAnnotation } from "./default-catalogs.ts";
import { digest } from "./fixtures.ts";
import { olmCatalogs } from "./olm-catalogs.ts";

const image = (name: string) => `mirror.example.com/${name}@${digest}`;
const annotated = (names: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(names).map(([name, value]) => [
      `hypershift.openshift.io/${name}-operators-catalog-image`,
      value,
    ]),
  );
const three = annotated({
  certified: image("certified"),
  community: image("community"),
  redhat: image("redhat"),
});
const marketplace = "hypershift.openshift.io/redhat-marketplace-catalog-image";
const four = { ...three, [marketplace]: image("marketplace") };
const ofRelease = (version: string) => ({
  release: { image: `quay.io/openshift-release-dev/ocp-release:${version}-multi` },
});

describe("images that the annotations name", () => {
  const catalogsOf = (
    annotations: Readonly<Record<string, string>>,
    { spec = {}, compat }: { spec?: Record<string, unknown>; compat?: "hypershift" } = {},
  ) => olmCatalogs(aReadHostedCluster({ annotations, spec }), "4.20.4", { compat });

  const names = ["certified", "community", "marketplace", "redhat"];
  const withoutMarketplace = names.filter((name) => name !== "marketplace");
  test.for([
    { version: "4.16.9", given: four, taken: names, reported: [] },
    { version: "4.16.9", given: three, taken: [], reported: ["CatalogsIncomplete"] },
    { version: "4.21.3", given: four, taken: names, reported: [] },
    { version: "4.21.3", given: three, taken: [], reported: ["CatalogsIncomplete"] },
    { version: "4.22.1", given: four, taken: names, reported: [] },
    { version: "4.22.1", given: three, taken: withoutMarketplace, reported: ["CatalogsIncomplete"] },
    { version: "4.23.0", given: four, taken: withoutMarketplace, reported: ["DeadAnnotation"] },
    { version: "4.23.0", given: three, taken: withoutMarketplace, reported: [] },
    { version: "latest", given: four, taken: names, reported: [] },
    { version: "latest", given: three, taken: withoutMarketplace, reported: [] },
  ] as const)(
    "When a control plane of $version has the images of $given, it should take $taken and report $reported",
    ({ version, given, taken, reported }) => {
      const { catalogs, issues } = catalogsOf(given, { spec: ofRelease(version) });
      expect(catalogs.map((catalog) => catalog.image)).toEqual(taken.map(image));
      expect(issues.map(({ code }) => code)).toEqual(reported);
    },
  );

  test("When the control plane has a release of its own, that should decide, not the nodes'", () => {
    const spec = { ...ofRelease("4.20.4"), controlPlaneRelease: ofRelease("4.23.1").release };
    expect(catalogsOf(three, { spec }).catalogs).toHaveLength(3);
    expect(catalogsOf(three, { spec: { ...spec, controlPlaneRelease: {} } }).catalogs).toEqual([]);
  });

  test("When the catalogs run in the guest, it should use them there too, unlike HyperShift", () => {
    const spec = { olmCatalogPlacement: "guest" };
    expect(catalogsOf(four, { spec }).catalogs[3]?.image).toBe(image("redhat"));
    expect(catalogsOf(four, { spec, compat: "hypershift" }).catalogs.at(-1)?.image).toBe(
      "registry.redhat.io/redhat/redhat-operator-index:v4.20",
    );
  });

  test("When HyperShift does not read the images, it should warn, unless hubrelay maintains them", () => {
    const spec = { olmCatalogPlacement: "guest" };
    const reported = catalogsOf(four, { spec }).issues.map(({ code, severity, path }) => [
      code,
      severity,
      path,
    ]);
    const warning = (annotation: string) => [
      "IgnoredAnnotation",
      "warning",
      `metadata.annotations["hypershift.openshift.io/${annotation}-catalog-image"]`,
    ];
    expect(reported).toEqual(
      ["certified-operators", "community-operators", "redhat-marketplace", "redhat-operators"].map(warning),
    );
    expect(catalogsOf(four, { spec }).issues[0]).toMatchObject({
      object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
      value: image("certified"),
      message: "HyperShift does not read this annotation where the catalogs run in the guest",
      remedy: "Write the mirror into hypershift.openshift.io/olm-catalogs-is-registry-overrides.",
    });
    const one = annotated({ community: image("community") });
    expect(catalogsOf(one, { spec }).issues.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'IgnoredAnnotation metadata.annotations["hypershift.openshift.io/community-operators-catalog-image"]',
      'CatalogsIncomplete metadata.annotations["hypershift.openshift.io/certified-operators-catalog-image"]',
    ]);
    const kept = { ...four, "hubrelay.dev/olm-catalogs": "from-mirrors" };
    expect(catalogsOf(kept, { spec }).issues).toEqual([]);
  });

  const refused = (annotation: string) => ({
    severity: "error",
    object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
    path: `metadata.annotations["hypershift.openshift.io/${annotation}-operators-catalog-image"]`,
  });
  const byTag = (annotation: string, value: string) => ({
    ...refused(annotation),
    code: "CatalogNotByDigest",
    value,
    message: "images for OLM catalogs should be referenced only by digest",
    remedy: "Write the image with @sha256: and its digest.",
  });
  const sha512 = `m.io/r@sha512:${"a".repeat(128)}`;
  const lacking = (annotation: string) => ({
    ...refused(annotation),
    code: "CatalogsIncomplete",
    value: "",
    message:
      "if OLM catalog images are overridden, all the values for the 4 default catalogs should be provided",
    remedy: `Set the annotation hypershift.openshift.io/${annotation}-operators-catalog-image as well, or remove the others.`,
  });
  test.for([
    ["only one is given", annotated({ redhat: image("redhat") }), lacking("certified")],
    ["only the community's is given", annotated({ community: image("c") }), lacking("certified")],
    ["one is empty", { ...four, ...annotated({ community: "" }) }, lacking("community")],
    ["one is given by tag", annotated({ redhat: "m.io/r:v4.20" }), byTag("redhat", "m.io/r:v4.20")],
    ["one is given by another digest", annotated({ redhat: sha512 }), byTag("redhat", sha512)],
    [
      "one of them has a tag",
      { ...four, ...annotated({ certified: "m.io/c:v4.20" }) },
      byTag("certified", "m.io/c:v4.20"),
    ],
  ] as const)("When %s, it should refuse all, in HyperShift's words", ([, annotations, issue]) => {
    expect(catalogsOf(annotations)).toEqual({ catalogs: [], issues: [issue] });
  });

  test("When a release does not have a catalog, its annotation should be reported as unused", () => {
    const { issues } = catalogsOf(four, { spec: ofRelease("5.0.1") });
    expect(issues).toEqual([
      {
        code: "DeadAnnotation",
        severity: "warning",
        object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
        path: `metadata.annotations["${marketplace}"]`,
        value: image("marketplace"),
        message: "This annotation is unused: OpenShift 5.0 has no catalog redhat-marketplace",
        remedy: "Remove it.",
      },
    ]);
  });

  test("When only early control planes of a release have a catalog, a missing image should be a warning", () => {
    const { issues } = catalogsOf(three, { spec: ofRelease("4.22.1") });
    expect(issues).toEqual([
      {
        code: "CatalogsIncomplete",
        severity: "warning",
        object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
        path: `metadata.annotations["${marketplace}"]`,
        value: undefined,
        message:
          "Early control planes of 4.22 have the catalog redhat-marketplace too and refuse images for only some catalogs",
        remedy: `Set ${marketplace} as well: control planes without this catalog ignore it.`,
      },
    ]);
  });

  test("When the annotations have several errors, it should report all of them", () => {
    const texts = { [catalogOverridesAnnotation]: "quay.io=m.io" };
    const codes = (given: Readonly<Record<string, string>>, version?: string) =>
      olmCatalogs(aReadHostedCluster({ annotations: { ...texts, ...given } }), version).issues.map(
        ({ code }) => code,
      );
    expect(codes(annotated({ redhat: "m.io/r:1" }))).toEqual(["UselessOverride", "CatalogNotByDigest"]);
    expect(codes(four)).toEqual(["UselessOverride"]);
    expect(codes({})).toEqual(["UselessOverride", "UnknownVersion"]);
  });

  test("When the default catalogs are disabled, it should name none", () => {
    const spec = { configuration: { operatorhub: { disableAllDefaultSources: true } } };
    expect(catalogsOf(four, { spec }).catalogs).toEqual([]);
  });
});
