import { describe, expect, test } from "vitest";
import { decodeOverrides } from "../overrides/environment-text.ts";
import { type CatalogLookup, catalogCandidates, searchCatalog } from "./catalog-search.ts";
import { releaseOf } from "./default-catalogs.ts";
import { digest, full, lastingCatalogs } from "./fixtures.ts";

/** Looks up what a search requests until it ends; `existing` are the images that registries have. */
function search(
  version: string,
  overrides: string,
  existing: readonly string[],
  { compat, failing = [] }: { compat?: "hypershift"; failing?: readonly string[] } = {},
) {
  const release = releaseOf(version);
  if (!release) throw new Error("the version of this test is wrong");
  const asked: string[] = [];
  const results = lastingCatalogs.map((catalog) => {
    const options = compat ? { compat } : {};
    const candidates = catalogCandidates(catalog, release, decodeOverrides(overrides) ?? new Map(), options);
    const lookups = new Map<string, CatalogLookup>();
    for (;;) {
      const state = searchCatalog(catalog, candidates, lookups, options);
      if (state.state === "found") return state.image;
      if (state.state === "failed") return state.message;
      asked.push(state.image);
      const isFailing = failing.some((host) => state.image.startsWith(host));
      const isThere = existing.map(full).includes(state.image);
      lookups.set(
        state.image,
        isFailing
          ? { state: "failed", message: "no answer" }
          : isThere
            ? { state: "present", digest }
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

  test("When a registry fails, it should stop at once", () => {
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
  test("When the mirror has only older catalogs, it should use them before the source is asked", () => {
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
    expect(results[0]).toMatch(/^failed to fetch .*; 4 lookups failed, the first: no answer$/);
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
