import { describe, expect, test } from "vitest";
import { knownCatalogs } from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import { aReadHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { readManagementMirrors } from "#shared/domain/hosted-clusters/overrides/management-mirrors.ts";
import { anImageDigestMirrorSet, anImageTagMirrorSet } from "#shared/domain/mirrors/fixtures.ts";
import { type RegistryFake, registryFake } from "../../../test/support/servers/registry-fake.ts";
import { type CatalogFindings, findCatalogs } from "./find-catalogs.ts";

const own = "registry.redhat.io/redhat";
const tags = anImageTagMirrorSet("tags", [{ source: "registry.redhat.io", mirrors: ["m.lan/rh"] }]);
const indexes = knownCatalogs.map(({ repository }) => repository);
const all = (place: string, tag = "v4.20") => indexes.map((index) => `${place}/${index}:${tag}`);

const find = (
  { registry }: RegistryFake,
  mirrorObjects = [tags],
  annotations: Readonly<Record<string, string>> = {},
): Promise<CatalogFindings> =>
  findCatalogs({
    cluster: aReadHostedCluster({ annotations }),
    mirrors: readManagementMirrors(mirrorObjects),
    mode: "own",
    registry,
    access: async () => ({}),
  });
const imagesOf = (findings: CatalogFindings) =>
  findings.state === "found" ? findings.catalogs.map(({ image }) => image) : [];

describe("catalogs that hubrelay does not derive", () => {
  test("When a mirror for tags has them, it should find them under their own names", async () => {
    const fake = registryFake({ there: all("m.lan/rh/redhat") });
    expect(imagesOf(await find(fake))).toEqual(all(own));
    expect(fake.asked).toEqual(all("m.lan/rh/redhat"));
  });

  test("When the mirror fails, it should find them at their source", async () => {
    const fake = registryFake({ there: all(own), failing: ["m.lan"] });
    expect(imagesOf(await find(fake))).toEqual(all(own));
  });

  test("When the mirror serves digests only, it should not be asked for tags", async () => {
    const digests = anImageDigestMirrorSet("d", [{ source: "registry.redhat.io", mirrors: ["m.lan/rh"] }]);
    const fake = registryFake({ there: [...all("m.lan/rh/redhat"), ...all(own)] });
    expect(imagesOf(await find(fake, [digests]))).toEqual(all(own));
    expect(fake.asked).toEqual(all(own));
  });

  test("When no registry responds, it should report which ones", async () => {
    const findings = await find(registryFake({ failing: ["m.lan", "registry.redhat.io"] }));
    expect(findings).toMatchObject({
      state: "incomplete",
      messages: [expect.stringContaining("m.lan"), {}, {}, {}],
    });
  });

  test("When an override leads to an invalid image reference, it should report that and continue", async () => {
    const overrides = {
      "hypershift.openshift.io/olm-catalogs-is-registry-overrides": `${own}=https://m.lan`,
    };
    const fake = registryFake({ there: all(own) });
    expect(imagesOf(await find(fake, [], overrides))).toEqual(all(own));
  });
});
