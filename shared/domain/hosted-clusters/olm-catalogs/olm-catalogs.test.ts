import { describe, expect, test } from "vitest";
import { aReadHostedCluster } from "../fixtures.ts";
import { decodeOverrides } from "../overrides/environment-text.ts";
import type { CatalogAnswer } from "./catalog-search.ts";
import { catalogCandidates, searchCatalog } from "./catalog-search.ts";
import { releaseOf } from "./catalog-versions.ts";
import { catalogOverridesAnnotation, defaultCatalogs } from "./default-catalogs.ts";
import { olmCatalogs } from "./olm-catalogs.ts";

const short: Readonly<Record<string, string>> = {
  cert: "certified-operator-index",
  comm: "community-operator-index",
  rh: "redhat-operator-index",
};
const full = (image: string) =>
  image
    .replace(/^R\//, "registry.redhat.io/redhat/")
    .replace(/\/(cert|comm|rh):/, (_, name: string) => `/${short[name]}:`);
const digest = `sha256:${"d".repeat(64)}`;
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

describe("addresses without asking a registry, like HyperShift", () => {
  test.for([
    ["4.18.3", "", ["R/cert:v4.18", "R/comm:v4.18", "R/rh:v4.18"]],
    [
      "5.1.0",
      "registry.redhat.io=m.io:5000",
      ["m.io:5000/redhat/cert:v4.22", "m.io:5000/redhat/comm:v4.22", "m.io:5000/redhat/rh:v4.22"],
    ],
    [
      "4.23.0-ec.1",
      "registry.redhat.io=m.io/x",
      ["m.io/x/cert:v4.22", "m.io/x/comm:v4.22", "m.io/x/rh:v4.22"],
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
        spec: { olmCatalogPlacement: "guest" },
      });
      const { catalogs } = olmCatalogs(cluster, version, { compat: "hypershift" });
      expect(catalogs).toEqual(
        ["certified-operators", "community-operators", "redhat-operators"].map((name, index) => ({
          name,
          image: full(images[index] ?? ""),
        })),
      );
    },
  );
});

describe("addresses without asking a registry", () => {
  test.for([
    ["registry.redhat.io=m.io", "m.io/redhat/redhat-operator-index:v4.18"],
    ["registry.redhat.io=m.io/x", "m.io/x/redhat/redhat-operator-index:v4.18"],
    ["registry.redhat.io/redhat=m.io/x", "m.io/x/redhat-operator-index:v4.18"],
    ["registry.redhat.io/redhat/redhat-operator-index=m.io/index", "m.io/index:v4.18"],
    ["*.redhat.io=m.io", "m.io/redhat/redhat-operator-index:v4.18"],
    ["registry.redhat.io=a.io,registry.redhat.io/redhat=b.io/y", "b.io/y/redhat-operator-index:v4.18"],
    ["registry.redhat.io/red=m.io", "registry.redhat.io/redhat/redhat-operator-index:v4.18"],
    ["registry.redhat=m.io", "registry.redhat.io/redhat/redhat-operator-index:v4.18"],
  ] as const)(
    "When the overrides are %j, it should replace whole parts of the address: %s",
    ([text, wanted]) => {
      const cluster = aReadHostedCluster({ annotations: { [catalogOverridesAnnotation]: text } });
      expect(olmCatalogs(cluster, "4.18.3").catalogs.at(-1)).toEqual({
        name: "redhat-operators",
        image: wanted,
      });
    },
  );

  const shop = { kind: "HostedCluster", namespace: "clusters", name: "shop" };
  const ofOverrides = {
    severity: "warning",
    object: shop,
    path: 'metadata.annotations["hypershift.openshift.io/olm-catalogs-is-registry-overrides"]',
  };
  const dropped = (text: string, pair = text) => ({
    code: "DroppedPair",
    value: text,
    message: `"${pair}" is no source=target and is passed over without a word`,
    remedy: "Write both sides, or remove the pair.",
  });
  const useless = (text: string, source: string) => ({
    code: "UselessOverride",
    value: text,
    message: `No default catalog has an address with "${source}"`,
    remedy: "Write registry.redhat.io/redhat or registry.redhat.io, or remove the pair.",
  });
  const ignored = (source: string) => ({
    code: "IgnoredOverride",
    value: source,
    message: `HyperShift ignores the source "${source}": it looks up registry.redhat.io/redhat and registry.redhat.io alone`,
    remedy: "Write it for registry.redhat.io/redhat.",
  });
  const index = "registry.redhat.io/redhat/redhat-operator-index";

  test.for([
    ["there is no text", "", []],
    ["there is no pair", "=", []],
    ["HyperShift looks the registry up", "registry.redhat.io=m.io", []],
    ["HyperShift looks the namespace up", "registry.redhat.io/redhat=m.io/x", []],
    ["a pair lacks its sign", "registry.redhat.io", [dropped("registry.redhat.io")]],
    ["a pair lacks its mirror", "registry.redhat.io=", [dropped("registry.redhat.io=")]],
    ["a pair lacks its source", "=m.io", [dropped("=m.io")]],
    ["a pair is empty", "registry.redhat.io=m.io,", [dropped("registry.redhat.io=m.io,", "")]],
    ["a target has a sign in it", "registry.redhat.io=m.io=x", []],
    ["a target has several lines", "registry.redhat.io=m.io\nx", []],
    ["a source means no catalog", "quay.io=m.io", [useless("quay.io=m.io", "quay.io")]],
    [
      "a source means none by its end",
      "registry.redhat.io/=m.io",
      [useless("registry.redhat.io/=m.io", "registry.redhat.io/")],
    ],
    ["HyperShift does not look a source up", `${index}=m.io`, [ignored(index)]],
    ["HyperShift does not look a wildcard up", "*.redhat.io=m.io,*.redhat.io=n.io", [ignored("*.redhat.io")]],
    [
      "HyperShift puts addresses together in another way",
      "registry.redhat.io=m.io/x",
      [
        {
          code: "ReadDifferently",
          value: "registry.redhat.io",
          message: `HyperShift takes "m.io/x" as it is and looks for catalogs in m.io/x, hubrelay in m.io/x/redhat`,
          remedy:
            "Write registry.redhat.io/redhat=m.io/x or registry.redhat.io/redhat=m.io/x/redhat, which both read alike.",
        },
      ],
    ],
    [
      "HyperShift decides at random",
      "registry.redhat.io=m.io,registry.redhat.io/redhat=n.io/x",
      [
        {
          code: "AmbiguousOverrides",
          value: "registry.redhat.io=m.io,registry.redhat.io/redhat=n.io/x",
          message:
            "With both registry.redhat.io/redhat and registry.redhat.io HyperShift decides at random, each time anew, whether the latter counts",
          remedy: "Write registry.redhat.io/redhat alone, with all its mirrors.",
        },
      ],
    ],
  ] as const)("When %s, it should say so once and go on", ([, text, told]) => {
    const cluster = aReadHostedCluster({ annotations: { [catalogOverridesAnnotation]: text } });
    const { catalogs, issues } = olmCatalogs(cluster, "4.18.3");
    expect(catalogs).toHaveLength(3);
    expect(issues).toEqual(told.map((one) => ({ ...ofOverrides, ...one })));
  });

  test("When nobody tells the version, it should name no catalog and say why", () => {
    expect(olmCatalogs(aReadHostedCluster(), undefined)).toEqual({
      catalogs: [],
      issues: [
        {
          code: "UnknownVersion",
          severity: "warning",
          object: shop,
          path: "spec.release.image",
          value: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi",
          message: "Nobody tells the version of this release, so its catalogs are not known",
          remedy: "Give it with --release-version.",
        },
      ],
    });
  });

  test.for([
    "foo",
    "4.18",
    "4.018.3",
    "04.18.3",
    "4.18.03",
    "v4.18.3",
    "4.18.3 ",
    "4.18.3-",
    "4.18.3-01",
    "4.18.3-rc.01",
    "4.18.3-rc..1",
    "4.18.3+",
    "4.18.3+a..b",
    "4.18.3+a_b",
    `4.18.3-${"a".repeat(250)}`,
  ])("When the version is %s, it should name no catalog and say why", (version) => {
    expect(olmCatalogs(aReadHostedCluster(), version)).toEqual({
      catalogs: [],
      issues: [
        {
          code: "InvalidVersion",
          severity: "error",
          object: shop,
          path: "spec.release.image",
          value: version,
          message: `invalid OpenShift release version format: ${version}`,
          remedy: "Write it like 4.20.4.",
        },
      ],
    });
  });

  test.for([
    "4.18.30",
    "4.18.0-0",
    "4.18.0-1",
    "4.18.0-123",
    "4.18.0-rc.1",
    "4.18.0-rc.123",
    "4.18.0-rc.10.x-y",
    "4.18.0-0.nightly-2026-01-02-030405",
    "4.18.3-1a.2",
    "4.18.3+build.07.x",
    "4.18.3-rc.1+build.7",
    `4.18.3-${"a".repeat(249)}`,
  ])("When the version is %s, it should name the catalogs of 4.18", (version) => {
    expect(olmCatalogs(aReadHostedCluster(), version).catalogs[0]?.image).toBe(full("R/cert:v4.18"));
  });

  test.for([
    ["4.22.9", "v4.22"],
    ["4.23.0", "v4.22"],
    ["4.9.0", "v4.9"],
    ["3.99.0", "v3.99"],
    ["5.0.0", "v4.22"],
    ["10.1.0", "v4.22"],
  ])("When the release is %s, its catalogs should be of %s", ([version, tag]) => {
    expect(olmCatalogs(aReadHostedCluster(), version).catalogs[0]?.image).toBe(full(`R/cert:${tag}`));
  });
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

  test("When the catalogs run in the guest, it should take them there too, which HyperShift does not", () => {
    const spec = { olmCatalogPlacement: "guest" };
    expect(catalogsOf(three, { spec }).catalogs[2]?.image).toBe(image("redhat"));
    expect(catalogsOf(three, { spec, compat: "hypershift" }).catalogs[2]?.image).toBe(
      "registry.redhat.io/redhat/redhat-operator-index:v4.20",
    );
  });

  test("When HyperShift does not read the images, it should say so, unless hubrelay keeps them", () => {
    const spec = { olmCatalogPlacement: "guest" };
    const told = catalogsOf(three, { spec }).issues.map(({ code, severity, path }) => [code, severity, path]);
    const warning = (annotation: string) => [
      "IgnoredAnnotation",
      "warning",
      `metadata.annotations["${annotation}"]`,
    ];
    expect(told).toEqual(Object.keys(three).map(warning));
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

  test("When the marketplace's annotation is set, it should say that nobody reads it", () => {
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
        message: "Nobody reads this annotation: the catalog redhat-marketplace is gone",
        remedy: "Remove it.",
      },
    ]);
  });

  test("When the annotations are wrong in several ways, it should say all of it", () => {
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

/** Asks for what a search wants until it ends; `existing` are the images that registries have. */
function search(
  version: string,
  overrides: string,
  existing: readonly string[],
  { compat, failing = [] }: { compat?: "hypershift"; failing?: readonly string[] } = {},
) {
  const release = releaseOf(version);
  if (!release) throw new Error("the version of this test is wrong");
  const asked: string[] = [];
  const results = defaultCatalogs.map((catalog) => {
    const options = compat ? { compat } : {};
    const candidates = catalogCandidates(catalog, release, decodeOverrides(overrides) ?? new Map(), options);
    const answers = new Map<string, CatalogAnswer>();
    for (;;) {
      const state = searchCatalog(catalog, candidates, answers, options);
      if (state.state === "found") return state.image;
      if (state.state === "failed") return state.message;
      asked.push(state.image);
      const isFailing = failing.some((host) => state.image.startsWith(host));
      const isThere = existing.map(full).includes(state.image);
      answers.set(
        state.image,
        isFailing
          ? { state: "failed", message: "no answer" }
          : isThere
            ? { state: "there", digest }
            : { state: "absent" },
      );
    }
  });
  return { results, asked };
}

describe("search in registries, like HyperShift", () => {
  const compat = "hypershift";
  const missing = (name: string) => `failed to fetch image digest for 4 previous versions of ${name}`;

  test.for([
    {
      overrides: "",
      existing: ["R/cert:v4.18", "R/comm:v4.17", "R/rh:v4.15"],
      results: ["R/cert:v4.18", "R/comm:v4.17", "R/rh:v4.15"],
    },
    {
      overrides: "registry.redhat.io=m.io",
      existing: ["R/cert:v4.18", "R/comm:v4.18", "R/rh:v4.18"],
      results: ["certified-operators", "community-operators", "redhat-operators"].map(missing),
    },
    {
      overrides: "registry.redhat.io=a.io,registry.redhat.io=b.io",
      existing: [
        "a.io/redhat/cert:v4.17",
        "b.io/redhat/cert:v4.18",
        "a.io/redhat/comm:v4.18",
        "b.io/redhat/rh:v4.16",
      ],
      results: ["b.io/redhat/cert:v4.18", "a.io/redhat/comm:v4.18", "b.io/redhat/rh:v4.16"],
    },
  ])("When the overrides are $overrides and there is $existing, it should find $results", (one) => {
    const { results } = search("4.18.3", one.overrides, one.existing, { compat });
    expect(results).toEqual(one.results.map(full));
  });

  test("When a registry fails, it should give up at once", () => {
    const { results, asked } = search("4.18.3", "", ["R/cert:v4.17"], {
      compat,
      failing: ["registry.redhat.io"],
    });
    expect(results[0]).toBe("failed to get image digest: no answer");
    expect(asked).toHaveLength(3);
  });

  test("When the search would go below minor 0, it should wrap around", () => {
    expect(search("4.1.0", "", [], { compat }).asked.slice(0, 4)).toEqual(
      ["v4.1", "v4.0", "v4.18446744073709551615", "v4.18446744073709551614"].map((tag) =>
        full(`R/cert:${tag}`),
      ),
    );
  });
});

describe("search in registries", () => {
  test("When the mirror has older catalogs only, it should take them before the source is asked", () => {
    const { results, asked } = search("4.18.3", "registry.redhat.io=m.io", [
      "m.io/redhat/rh:v4.16",
      "R/rh:v4.18",
    ]);
    expect(results[2]).toBe(full("m.io/redhat/rh:v4.16"));
    expect(asked.filter((image) => image.includes("redhat-operator-index") && image.startsWith("R"))).toEqual(
      [],
    );
  });

  test("When no mirror has it, it should take the source's", () => {
    const { results } = search("4.18.3", "registry.redhat.io=m.io", [
      "R/cert:v4.18",
      "R/comm:v4.18",
      "R/rh:v4.17",
    ]);
    expect(results).toEqual(["R/cert:v4.18", "R/comm:v4.18", "R/rh:v4.17"].map(full));
  });

  test("When one mirror fails, it should take what the next one has", () => {
    const overrides = "registry.redhat.io=a.io,registry.redhat.io=b.io";
    const { results } = search("4.18.3", overrides, ["b.io/redhat/rh:v4.18"], { failing: ["a.io"] });
    expect(results[2]).toBe(full("b.io/redhat/rh:v4.18"));
    expect(results[0]).toMatch(/^failed to fetch .*; 4 answers failed, the first: no answer$/);
  });

  test.for([
    ["4.24.0", ["v4.24", "v4.23", "v4.22", "v4.21"]],
    ["5.1.0", ["v5.1", "v5.0", "v4.22", "v4.21"]],
    ["4.1.0", ["v4.1", "v4.0"]],
  ] as const)("When the release is %s, it should look for %j", ([version, tags]) => {
    const { asked } = search(version, "", []);
    expect(asked.slice(0, tags.length)).toEqual(tags.map((tag) => full(`R/cert:${tag}`)));
    expect(asked).toHaveLength(3 * tags.length);
  });
});
