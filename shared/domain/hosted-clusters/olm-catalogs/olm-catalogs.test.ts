import { describe, expect, test } from "vitest";
import { aReadHostedCluster } from "../fixtures.ts";
import { catalogOverridesAnnotation } from "./default-catalogs.ts";
import { digest, full } from "./fixtures.ts";
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
    { spec = {} }: { spec?: Record<string, unknown> } = {},
  ) => olmCatalogs({ ...aReadHostedCluster({ annotations, spec }), version: "4.20.4" });

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

  test("When the catalogs run in the guest, it should not use them, and warn unless hubrelay maintains them", () => {
    const spec = { olmCatalogPlacement: "guest" };
    const { catalogs, issues } = catalogsOf(four, { spec });
    expect(catalogs.at(-1)?.image).toBe("registry.redhat.io/redhat/redhat-operator-index:v4.20");
    expect(issues.map(({ code, path }) => `${code} ${path}`)).toEqual(
      ["certified-operators", "community-operators", "redhat-marketplace", "redhat-operators"].map(
        (name) => `IgnoredAnnotation metadata.annotations["hypershift.openshift.io/${name}-catalog-image"]`,
      ),
    );
    expect(issues[0]).toMatchObject({
      severity: "warning",
      value: image("certified"),
      message: "HyperShift does not read this annotation where the catalogs run in the guest",
      remedy: "Write the mirror into hypershift.openshift.io/olm-catalogs-is-registry-overrides.",
    });
    expect(catalogsOf({ ...four, "hubrelay.dev/olm-catalogs": "from-mirrors" }, { spec }).issues).toEqual([]);
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

  test("When a release may not have a catalog, the warning should say what to do", () => {
    const path = `metadata.annotations["${marketplace}"]`;
    expect(catalogsOf(four, { spec: ofRelease("5.0.1") }).issues).toMatchObject([
      {
        severity: "warning",
        path,
        value: image("marketplace"),
        message: "This annotation is unused: OpenShift 5.0 has no catalog redhat-marketplace",
      },
    ]);
    expect(catalogsOf(three, { spec: ofRelease("4.22.1") }).issues).toMatchObject([
      {
        severity: "warning",
        path,
        message:
          "Early control planes of 4.22 have the catalog redhat-marketplace too and refuse images for only some catalogs",
        remedy: `Set ${marketplace} as well: control planes without this catalog ignore it.`,
      },
    ]);
  });

  test("When a node could not pull an image by digest, it should be refused", () => {
    const wrong = { ...four, [marketplace]: `Mirror.example.com/NS@${digest}` };
    expect(catalogsOf(wrong)).toMatchObject({ catalogs: [], issues: [{ code: "InvalidReference" }] });
  });

  test("When the default catalogs are disabled, it should name none", () => {
    const spec = { configuration: { operatorhub: { disableAllDefaultSources: true } } };
    expect(catalogsOf(four, { spec }).catalogs).toEqual([]);
  });
});

describe("addresses without asking a registry, like HyperShift", () => {
  test.for([
    ["4.18.3", "", ["R/cert:v4.18", "R/comm:v4.18", "R/rh:v4.18"]],
    [
      "5.1.0",
      "registry.redhat.io=m.io:5000",
      ["m.io:5000/redhat/cert:v4.22", "m.io:5000/redhat/comm:v4.22", "m.io:5000/redhat/rh:v4.22"],
    ],
    [
      "4.18.3",
      "registry.redhat.io/redhat=m.io/x",
      ["m.io/x/cert:v4.18", "m.io/x/comm:v4.18", "m.io/x/rh:v4.18"],
    ],
    ["4.18.3", "quay.io=m.io,redhat=z", ["R/cert:v4.18", "R/comm:v4.18", "R/rh:v4.18"]],
    [
      "4.18.3",
      "registry.redhat.io/redhat/redhat-operator-index=m.io/x",
      ["R/cert:v4.18", "R/comm:v4.18", "R/rh:v4.18"],
    ],
    [
      "4.18.3",
      "registry.redhat.io=a.io,registry.redhat.io/redhat=b.io/y",
      ["b.io/y/cert:v4.18", "b.io/y/comm:v4.18", "b.io/y/rh:v4.18"],
    ],
  ] as const)(
    "When the release is %s and the overrides are %j, it should name %j",
    ([version, text, images]) => {
      const cluster = aReadHostedCluster({
        annotations: { [catalogOverridesAnnotation]: text },
        spec: {
          olmCatalogPlacement: "guest",
          controlPlaneRelease: { image: "quay.io/openshift-release-dev/ocp-release:4.23.1-multi" },
        },
      });
      const { catalogs } = olmCatalogs({ ...cluster, version });
      expect(catalogs).toEqual(
        ["certified-operators", "community-operators", "redhat-operators"].map((name, index) => ({
          name,
          image: full(images[index] ?? ""),
        })),
      );
    },
  );
});

test.for([
  ["management", "error", 0],
  ["guest", "warning", 3],
] as const)(
  "When the catalogs run in %s, an address that HyperShift cannot parse should be one %s",
  ([olmCatalogPlacement, severity, count]) => {
    const annotations = { [catalogOverridesAnnotation]: "registry.redhat.io/redhat=m.io/x/" };
    const spec = { ...ofRelease("4.23.1"), olmCatalogPlacement };
    const { catalogs, issues } = olmCatalogs(aReadHostedCluster({ annotations, spec }));
    expect(catalogs).toHaveLength(count);
    expect(issues).toMatchObject([{ code: "InvalidTarget", severity }]);
  },
);

describe("overrides of catalogs", () => {
  const shop = { kind: "HostedCluster", namespace: "clusters", name: "shop" };
  const ofOverrides = {
    severity: "warning",
    object: shop,
    path: 'metadata.annotations["hypershift.openshift.io/olm-catalogs-is-registry-overrides"]',
  };
  const dropped = (text: string, pair = text) => ({
    code: "DroppedPair",
    value: text,
    message: `"${pair}" is not source=target and is silently ignored`,
    remedy: "Write both sides, or remove the pair.",
  });
  const invalid = (text: string, target: string) => ({
    code: "InvalidTarget",
    severity: "error",
    value: text,
    message: `No catalog's address can begin with "${target}"; where the catalogs run in the control plane, HyperShift finds none of them`,
    remedy: "Write host[:port][/path] in lower case, without scheme, tag and trailing slash.",
  });
  const useless = (text: string, source: string) => ({
    code: "UselessOverride",
    value: text,
    message: `HyperShift ignores the source "${source}": it looks up only registry.redhat.io/redhat and registry.redhat.io`,
    remedy: "Write it for registry.redhat.io/redhat, or remove the pair.",
  });
  const index = "registry.redhat.io/redhat/redhat-operator-index";

  test.for([
    ["there is no text", "", []],
    ["HyperShift looks the registry up", "registry.redhat.io=m.io", []],
    ["HyperShift looks the namespace up", "registry.redhat.io/redhat=m.io/x", []],
    ["a pair lacks its equals sign", "registry.redhat.io", [dropped("registry.redhat.io")]],
    ["a pair lacks its mirror", "registry.redhat.io=", [dropped("registry.redhat.io=")]],
    ["a pair lacks its source", "=m.io", [dropped("=m.io")]],
    ["a pair is empty", "registry.redhat.io=m.io,", [dropped("registry.redhat.io=m.io,", "")]],
    [
      "a target ends with a slash",
      "registry.redhat.io=m.io/x/",
      [invalid("registry.redhat.io=m.io/x/", "m.io/x/")],
    ],
    [
      "a target has several lines",
      "registry.redhat.io=m.io\nx",
      [{ ...invalid("", "m.io\nx"), value: "a text of 25 characters" }],
    ],
    ["a source matches no catalog", "quay.io=m.io", [useless("quay.io=m.io", "quay.io")]],
    ["HyperShift does not look a source up", `${index}=m.io`, [useless(`${index}=m.io`, index)]],
    [
      "HyperShift decides at random",
      "registry.redhat.io=m.io,registry.redhat.io/redhat=n.io/x",
      [
        {
          code: "AmbiguousOverrides",
          value: "registry.redhat.io=m.io,registry.redhat.io/redhat=n.io/x",
          message:
            "With both registry.redhat.io/redhat and registry.redhat.io HyperShift decides at random each time whether the latter counts",
          remedy: "Write only registry.redhat.io/redhat, with all its mirrors.",
        },
      ],
    ],
  ] as const)("When %s, it should report that once and continue", ([, text, reported]) => {
    const cluster = aReadHostedCluster({ annotations: { [catalogOverridesAnnotation]: text } });
    const { issues } = olmCatalogs({ ...cluster, version: "4.18.3" });
    expect(issues).toEqual(reported.map((one) => ({ ...ofOverrides, ...one })));
  });

  test("When the version is unknown, it should return no catalog", () => {
    const cluster = { ...aReadHostedCluster(), version: undefined };
    expect(olmCatalogs(cluster)).toEqual({ catalogs: [], issues: [] });
  });

  test.for([
    ["4.22.9", "v4.22"],
    ["4.23.0", "v4.22"],
    ["4.9.0", "v4.9"],
    ["3.99.0", "v3.99"],
    ["5.0.0", "v4.22"],
    ["10.1.0", "v4.22"],
  ])("When the release is %s, its catalogs should be of %s", ([version, tag]) => {
    expect(olmCatalogs({ ...aReadHostedCluster(), version }).catalogs[0]?.image).toBe(full(`R/cert:${tag}`));
  });
});
