import { describe, expect, test } from "vitest";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { aReadHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { aDigestMirrorSet } from "../../../test/support/hub/objects.ts";
import { type RegistryFake, registryFake } from "../../../test/support/servers/registry-fake.ts";
import { type CatalogFindings, findCatalogs } from "./find-catalogs.ts";

const own = "registry.redhat.io/redhat";
const overridesAnnotation = "hypershift.openshift.io/olm-catalogs-is-registry-overrides";
const indexes = ["certified", "community", "redhat"].map((name) => `${name}-operator-index`);
const all = (place: string, tag = "v4.18") => indexes.map((index) => `${place}/${index}:${tag}`);

type Fields = Parameters<typeof aReadHostedCluster>[0];

const find = (
  { registry }: RegistryFake,
  fields: Fields = {},
  mirrors: readonly string[] = [],
): Promise<CatalogFindings> => {
  const release = { image: "quay.io/openshift-release-dev/ocp-release:4.18.3-multi" };
  const controlPlaneRelease = { image: "quay.io/openshift-release-dev/ocp-release:4.23.1-multi" };
  const cluster = aReadHostedCluster({ ...fields, spec: { release, controlPlaneRelease, ...fields?.spec } });
  return findCatalogs({
    cluster,
    mirrorObjects:
      mirrors.length === 0 ? [] : [aDigestMirrorSet("olm", [{ source: "registry.redhat.io", mirrors }])],
    mode: "own",
    registry,
    access: async () => ({}),
  });
};
const imagesOf = (findings: CatalogFindings) =>
  findings.state === "found" ? findings.catalogs.map(({ image }) => image) : findings;

describe("catalogs that hubrelay does not derive", () => {
  test("When registries have other releases, it should search back for each catalog", async () => {
    const [certified = "", community = "", redhat = ""] = indexes;
    const there = [`${own}/${certified}:v4.18`, `${own}/${community}:v4.17`, `${own}/${redhat}:v4.15`];
    expect(imagesOf(await find(registryFake({ there })))).toEqual(there);
  });

  test("When two registries are named, it should use the first that has the newest", async () => {
    const there = ["a.io/redhat/certified-operator-index:v4.17", ...all("b.io/redhat").slice(0, 1)];
    const rest = [all("a.io/redhat")[1] ?? "", "b.io/redhat/redhat-operator-index:v4.16"];
    const annotations = { [overridesAnnotation]: "registry.redhat.io=a.io,registry.redhat.io=b.io" };
    const found = await find(registryFake({ there: [...there, ...rest] }), { annotations });
    expect(imagesOf(found)).toEqual([...all("b.io/redhat").slice(0, 1), ...rest]);
  });

  test("When only the source has them, it should not fall back to it", async () => {
    const annotations = { [overridesAnnotation]: "registry.redhat.io=m.io" };
    expect(await find(registryFake({ there: all(own) }), { annotations })).toEqual({
      state: "incomplete",
      messages: ["certified", "community", "redhat"].map(
        (name) => `failed to fetch image digest for 4 previous versions of ${name}-operators`,
      ),
    });
  });

  test("When a mirror of the management cluster has them, it should return the original names", async () => {
    const fake = registryFake({ there: all("m.lan/x/redhat"), failing: ["registry.redhat.io"] });
    expect(imagesOf(await find(fake, {}, ["m.lan/x"]))).toEqual(all(own));
    expect(fake.asked).toEqual(all("m.lan/x/redhat"));
  });

  test("When a mirror fails, it should ask the registry itself", async () => {
    const fake = registryFake({ there: all(own), failing: ["m.lan"] });
    expect(imagesOf(await find(fake, {}, ["m.lan/x"]))).toEqual(all(own));
  });

  test("When the registry fails, it should give up", async () => {
    const findings = await find(registryFake({ failing: ["registry.redhat.io"] }));
    expect(findings).toMatchObject({
      messages: [`failed to get image digest: ${all(own)[0]}: the registry returned 500`, {}, {}],
    });
  });

  test.for([
    ["they run in the guest", { spec: { olmCatalogPlacement: "guest" } }],
    ["they are disabled", { spec: { configuration: { operatorhub: { disableAllDefaultSources: true } } } }],
    ["the version is not known", { spec: { release: { image: "q.io/a/b:latest" } } }],
    [
      "the annotations name images",
      { annotations: { "hypershift.openshift.io/redhat-operators-catalog-image": "m.io/a@sha256:1" } },
    ],
  ] as const)("When %s, it should query no registry", async ([, fields]) => {
    const fake = registryFake({});
    expect([await find(fake, fields), fake.asked]).toEqual([{ state: "not needed" }, []]);
  });
});

test("When one of two mirrors fails, derived catalogs should be those of the other, or be incomplete", async () => {
  const annotations = { "hubrelay.dev/olm-catalogs": "from-mirrors" };
  const set = aDigestMirrorSet("olm", [{ source: own, mirrors: ["a.lan/olm", "b.lan/olm"] }]);
  const derived = (there: readonly string[]) =>
    findCatalogs({
      cluster: aReadHostedCluster({ annotations }),
      mirrorObjects: [set],
      mode: "verify",
      registry: registryFake({ there, failing: ["a.lan"] }).registry,
      access: async () => ({}),
    });
  const there = knownCatalogs.map(({ repository }) => `b.lan/olm/${repository}:v4.20`);
  expect(imagesOf(await derived(there))).toEqual(there);
  expect(await derived(there.slice(1))).toMatchObject({
    messages: [expect.stringMatching(/^failed to fetch .*; 4 lookups failed, the first: /)],
  });
});
