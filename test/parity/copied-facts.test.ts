import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  capabilityForms,
  hypershiftModule,
  knownCatalogs,
  newestCatalogRelease,
} from "#shared/domain/hosted-clusters/facts/hypershift.ts";
import {
  capabilitiesAddedBy,
  openshiftApiModule,
} from "#shared/domain/hosted-clusters/facts/openshift-api.ts";
import { go } from "../cluster/support/programs/go.ts";

/*
 * The facts that hubrelay copied from other projects, against the source of the newest modules that the Go proxy serves:
 * a failure says which fact is outdated.
 */

type Module = Readonly<{ Version: string; Time: string }>;

async function found(query: string): Promise<Module | undefined> {
  const answer = await go(tmpdir(), ["list", "-m", "-json", query]).catch(() => undefined);
  return answer === undefined ? undefined : JSON.parse(answer);
}

const nextPatch = (version: string) => version.replace(/\d+$/, (patch) => String(Number(patch) + 1));

/** Returns the version that was copied from and all newer ones: those of queries, and tags without a gap. */
async function versionsOf(
  { path, version }: Readonly<{ path: string; version: string }>,
  queries: readonly string[],
): Promise<readonly Module[]> {
  const asked = await Promise.all([version, ...queries].map((query) => found(`${path}@${query}`)));
  const versions = asked.filter((one) => one !== undefined);
  if (!/^v\d+\.\d+\.\d+$/.test(version)) return versions;
  for (let tag = nextPatch(version); ; tag = nextPatch(tag)) {
    const next = await found(`${path}@${tag}`);
    if (!next) return versions;
    versions.push(next);
  }
}

/** Reads a file of the newest module. */
type ReadSource = (file: string) => Promise<string>;

async function newestOf(
  module: Readonly<{ path: string; version: string }>,
  queries: readonly string[],
): Promise<ReadSource> {
  const newest = (await versionsOf(module, queries)).toSorted((a, b) => a.Time.localeCompare(b.Time)).at(-1);
  if (!newest) throw new Error(`the Go proxy does not serve ${module.path}@${module.version}`);
  const answer = await go(tmpdir(), ["mod", "download", "-json", `${module.path}@${newest.Version}`]);
  const { Dir } = JSON.parse(answer);
  return async (file) => readFile(join(Dir, file), "utf8");
}

describe("facts from HyperShift", () => {
  let source: ReadSource;
  beforeAll(async () => {
    source = await newestOf(hypershiftModule, ["latest", "main"]);
  }, 120_000);
  const lasting = knownCatalogs.filter(({ last }) => !last);

  test("When the newest release has other default catalogs, it should fail", async () => {
    const text = await source("support/catalogs/images.go");
    const [, table = ""] = /catalogImageNames := map\[string\]string\{([^}]*)\}/.exec(text) ?? [];
    const repositories = [...table.matchAll(/"([^"]+)":\s+"([^"]+)"/g)].map(([, ...pair]) => pair);
    expect(Object.fromEntries(repositories)).toEqual(
      Object.fromEntries(lasting.map(({ name, repository }) => [name, repository])),
    );
    const { major, minor } = newestCatalogRelease;
    expect(text).toContain(`maxCatalogVersion := semver.Version{Major: ${major}, Minor: ${minor}}`);
  });

  test("When catalogs are shown with another name or priority, it should fail", async () => {
    const text = await source(
      "control-plane-operator/hostedclusterconfigoperator/controllers/resources/olm/catalogs.go",
    );
    const shown = [...text.matchAll(/"([^"]+):50051", p\.\w+, "([^"]+)", (-?\d+),/g)];
    expect(shown.map(([, name, displayName, priority]) => [name, displayName, Number(priority)])).toEqual(
      lasting.map(({ name, displayName, priority }) => [name, displayName, priority]),
    );
  });

  test("When other capabilities are off by default, it should fail", async () => {
    const text = await source("support/capabilities/hosted_control_plane_capabilities.go");
    const removed = [...text.matchAll(/Caps\.Delete\(configv1\.ClusterVersionCapability(\w+)\)/g)];
    const names = removed.map(([, name = ""]) => name.toLowerCase());
    const { offByDefault, isWritten } = capabilityForms.at(-1) ?? {};
    expect(names.sort()).toEqual(offByDefault?.map((name) => name.toLowerCase()).sort());
    const writer = await source(
      "control-plane-operator/hostedclusterconfigoperator/controllers/resources/resources.go",
    );
    expect(isWritten).toBe("always");
    expect(writer).not.toContain("clusterVersion.Spec.Capabilities = nil");
    expect(writer).toContain("clusterVersion.Spec.Capabilities = &configv1.ClusterVersionCapabilitiesSpec{");
  });
});

describe("facts from OpenShift's API", () => {
  let text: string;
  beforeAll(async () => {
    const source = await newestOf(openshiftApiModule, ["master"]);
    text = await source("config/v1/types_cluster_version.go");
  }, 120_000);

  test("When a release knows other capabilities, it should fail", () => {
    const known = [
      ...text.matchAll(/^\s*ClusterVersionCapability\w+ ClusterVersionCapability = "([^"]+)"/gm),
    ];
    expect(known.map(([, name]) => name).sort()).toEqual(
      capabilitiesAddedBy.flatMap(([, names]) => names).sort(),
    );
  });
});
