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

describe("images that the annotations name", () => {
  const catalogsOf = (
    annotations: Readonly<Record<string, string>>,
    { spec = {}, compat }: { spec?: Record<string, unknown>; compat?: "hypershift" } = {},
  ) => olmCatalogs(aReadHostedCluster({ annotations, spec }), "4.20.4", { compat });

  test.for(["hypershift", undefined] as const)(
    "When three images are given by digest (compat %s), it should take them",
    (compat) => {
      expect(catalogsOf(three, compat ? { compat } : {})).toEqual({
        catalogs: [
          { name: "certified-operators", image: image("certified") },
          { name: "community-operators", image: image("community") },
          { name: "redhat-operators", image: image("redhat") },
        ],
        issues: [],
      });
    },
  );

  test("When the catalogs run in the guest, it should use them there too, unlike HyperShift", () => {
    const spec = { olmCatalogPlacement: "guest" };
    expect(catalogsOf(three, { spec }).catalogs[2]?.image).toBe(image("redhat"));
    expect(catalogsOf(three, { spec, compat: "hypershift" }).catalogs[2]?.image).toBe(
      "registry.redhat.io/redhat/redhat-operator-index:v4.20",
    );
  });

  test("When HyperShift does not read the images, it should warn, unless hubrelay maintains them", () => {
    const spec = { olmCatalogPlacement: "guest" };
    const reported = catalogsOf(three, { spec }).issues.map(({ code, severity, path }) => [
      code,
      severity,
      path,
    ]);
    const warning = (annotation: string) => [
      "IgnoredAnnotation",
      "warning",
      `metadata.annotations["${annotation}"]`,
    ];
    expect(reported).toEqual(Object.keys(three).map(warning));
    expect(catalogsOf(three, { spec }).issues[0]).toMatchObject({
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
    const kept = { ...three, "hubrelay.dev/olm-catalogs": "from-mirrors" };
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
  const lacking = (annotation: string) => ({
    ...refused(annotation),
    code: "CatalogsIncomplete",
    value: "",
    message:
      "if OLM catalog images are overridden, all the values for the 3 default catalogs should be provided",
    remedy: `Set the annotation hypershift.openshift.io/${annotation}-operators-catalog-image as well, or remove the others.`,
  });
  test.for([
    ["only one is given", annotated({ redhat: image("redhat") }), lacking("certified")],
    ["only the community's is given", annotated({ community: image("c") }), lacking("certified")],
    ["one is empty", { ...three, ...annotated({ community: "" }) }, lacking("community")],
    ["one is given by tag", annotated({ redhat: "m.io/r:v4.20" }), byTag("redhat", "m.io/r:v4.20")],
    [
      "one of three has a tag",
      { ...three, ...annotated({ certified: "m.io/c:v4.20" }) },
      byTag("certified", "m.io/c:v4.20"),
    ],
  ] as const)("When %s, it should refuse all, in HyperShift's words", ([, annotations, issue]) => {
    expect(catalogsOf(annotations)).toEqual({ catalogs: [], issues: [issue] });
  });

  test("When the marketplace's annotation is set, it should report that it is unused", () => {
    const name = "hypershift.openshift.io/redhat-marketplace-catalog-image";
    const { catalogs, issues } = catalogsOf({ [name]: image("marketplace") });
    expect(catalogs).toHaveLength(3);
    expect(issues).toEqual([
      {
        code: "DeadAnnotation",
        severity: "warning",
        object: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
        path: `metadata.annotations["${name}"]`,
        value: image("marketplace"),
        message: "This annotation is unused: the catalog redhat-marketplace no longer exists",
        remedy: "Remove it.",
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
    expect(codes(three)).toEqual(["UselessOverride"]);
    expect(codes({})).toEqual(["UselessOverride", "UnknownVersion"]);
  });

  test("When the default catalogs are disabled, it should name none", () => {
    const spec = { configuration: { operatorhub: { disableAllDefaultSources: true } } };
    expect(catalogsOf(three, { spec }).catalogs).toEqual([]);
  });
});
