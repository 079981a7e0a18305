import { describe, expect, test } from "vitest";
import { aReadHostedCluster } from "../fixtures.ts";
import { catalogOverridesAnnotation } from "./default-catalogs.ts";
import { full } from "./fixtures.ts";
import { olmCatalogs } from "./olm-catalogs.ts";

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
        spec: {
          olmCatalogPlacement: "guest",
          controlPlaneRelease: { image: "quay.io/openshift-release-dev/ocp-release:4.23.1-multi" },
        },
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

describe("addresses that HyperShift cannot look up", () => {
  const text = "registry.redhat.io/redhat=m.io/x/";
  const asked = (olmCatalogPlacement: string) =>
    olmCatalogs(
      aReadHostedCluster({
        annotations: { [catalogOverridesAnnotation]: text },
        spec: { olmCatalogPlacement },
      }),
      "4.18.3",
      { compat: "hypershift" },
    );

  test("When the catalogs run in the control plane, it should fail with HyperShift's message and return none", () => {
    const { catalogs, issues } = asked("management");
    expect(catalogs).toEqual([]);
    expect(issues.filter(({ severity }) => severity === "error")).toMatchObject([
      {
        code: "InvalidReference",
        message:
          'failed to get image digest: failed to parse image reference "m.io/x//certified-operator-index:v4.18": invalid reference format',
      },
    ]);
  });

  test("When they run in the guest, they should be unchanged", () => {
    const { catalogs, issues } = asked("guest");
    expect(catalogs.at(-1)?.image).toBe("m.io/x//redhat-operator-index:v4.18");
    expect(issues.filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

describe("addresses without asking a registry", () => {
  test.for([
    ["registry.redhat.io=m.io/x/", "registry.redhat.io/redhat/redhat-operator-index:v4.18"],
    ["registry.redhat.io=m.io/x/,registry.redhat.io=n.io", "n.io/redhat/redhat-operator-index:v4.18"],
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
    message: `"${pair}" is not source=target and is silently ignored`,
    remedy: "Write both sides, or remove the pair.",
  });
  const invalid = (text: string, target: string) => ({
    code: "InvalidTarget",
    value: text,
    message: `No catalog's address can begin with "${target}"; where the catalogs run in the control plane, HyperShift finds none of them`,
    remedy: "Write host[:port][/path] in lower case, without scheme, tag and trailing slash.",
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
    message: `HyperShift ignores the source "${source}": it looks up only registry.redhat.io/redhat and registry.redhat.io`,
    remedy: "Write it for registry.redhat.io/redhat.",
  });
  const index = "registry.redhat.io/redhat/redhat-operator-index";

  test.for([
    ["there is no text", "", []],
    ["there is no pair", "=", []],
    ["HyperShift looks the registry up", "registry.redhat.io=m.io", []],
    ["HyperShift looks the namespace up", "registry.redhat.io/redhat=m.io/x", []],
    ["a pair lacks its equals sign", "registry.redhat.io", [dropped("registry.redhat.io")]],
    ["a pair lacks its mirror", "registry.redhat.io=", [dropped("registry.redhat.io=")]],
    ["a pair lacks its source", "=m.io", [dropped("=m.io")]],
    ["a pair is empty", "registry.redhat.io=m.io,", [dropped("registry.redhat.io=m.io,", "")]],
    [
      "a target has a sign in it",
      "registry.redhat.io=m.io=x",
      [invalid("registry.redhat.io=m.io=x", "m.io=x")],
    ],
    [
      "a target ends with a slash",
      "registry.redhat.io=m.io/x/",
      [invalid("registry.redhat.io=m.io/x/", "m.io/x/")],
    ],
    [
      "a target has a tag",
      "registry.redhat.io/redhat=m.io/x:v1",
      [invalid("registry.redhat.io/redhat=m.io/x:v1", "m.io/x:v1")],
    ],
    [
      "a target has several lines",
      "registry.redhat.io=m.io\nx",
      [{ ...invalid("", "m.io\nx"), value: "a text of 25 characters" }],
    ],
    ["a source matches no catalog", "quay.io=m.io", [useless("quay.io=m.io", "quay.io")]],
    [
      "a source matches no catalog because it ends with a slash",
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
            "Write registry.redhat.io/redhat=m.io/x or registry.redhat.io/redhat=m.io/x/redhat, which both interpret the same way.",
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
            "With both registry.redhat.io/redhat and registry.redhat.io HyperShift decides at random each time whether the latter counts",
          remedy: "Write only registry.redhat.io/redhat, with all its mirrors.",
        },
      ],
    ],
  ] as const)("When %s, it should report that once and continue", ([, text, reported]) => {
    const cluster = aReadHostedCluster({ annotations: { [catalogOverridesAnnotation]: text } });
    const { catalogs, issues } = olmCatalogs(cluster, "4.18.3");
    expect(catalogs).toHaveLength(4);
    expect(issues).toEqual(reported.map((one) => ({ ...ofOverrides, ...one })));
  });

  test("When the version is unknown, it should return no catalog and report why", () => {
    expect(olmCatalogs(aReadHostedCluster(), undefined)).toEqual({
      catalogs: [],
      issues: [
        {
          code: "UnknownVersion",
          severity: "warning",
          object: shop,
          path: "spec.release.image",
          value: "quay.io/openshift-release-dev/ocp-release:4.20.4-multi",
          message: "The version of this release is unknown, so its catalogs are unknown too",
          remedy: "Set it with --release-version.",
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
  ])("When the version is %s, it should return no catalog and report why", (version) => {
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
