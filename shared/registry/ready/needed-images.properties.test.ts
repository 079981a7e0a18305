import fc from "fast-check";
import { expect, test } from "vitest";
import { releaseLabel } from "../../domain/hosted-clusters/cluster/release-images.ts";
import { type KubernetesObject, kinds } from "../../domain/kubernetes/object.ts";
import { needsOf } from "../../domain/ready/needs.ts";
import { configsLabel } from "../../domain/ready/operator-images.ts";
import { findUnneeded } from "../../domain/ready/unneeded.ts";
import type { Registry, RegistryCatalog, RegistryContents, RegistryManifest } from "../../ports/registry.ts";
import { neededImages } from "./needed-images.ts";
import { readInventory } from "./registry-inventory.ts";

const root = "m.lan/ocp";
const [releaseRepository, componentRepository] = [
  `${root}/openshift/release-images`,
  `${root}/openshift/release`,
];
const byVersion = new Intl.Collator("en", { numeric: true }).compare;
const digestOf = (group: string, index: number) => `sha256:${`${group}${index}`.padEnd(64, "0")}`;
const layer = (digest: string) => ({ digest: `${digest.slice(0, -1)}f`, size: 10, mediaType: "" });

/** Releases, each of a minor version and with some components: c0 and c1 are lists of two images each. */
const releases = fc.array(
  fc.record({
    minor: fc.integer({ min: 14, max: 20 }),
    components: fc.subarray([0, 1, 2, 3, 4], { minLength: 1 }),
  }),
  { minLength: 2, maxLength: 4 },
);
const clusters = fc.array(
  fc.record({
    current: fc.nat(3),
    previous: fc.option(fc.nat(3)),
    older: fc.nat(3),
    reports: fc.constantFrom("images", "hosted", "versions", "stale", "nothing"),
  }),
  { minLength: 1, maxLength: 3 },
);
const plans = fc.array(
  fc.record({ release: fc.nat(3), by: fc.constantFrom("image", "version", "cgu", "seed") }),
  { maxLength: 1 },
);
/** The field of a policy that is a template. */
const templates = fc.array(
  fc.constantFrom("version", "minor", "image", "component", "catalog", "own", "raw", "any", "name"),
  { maxLength: 1 },
);
/** Catalogs of minor versions; catalogs share operators. Some are named by an object. */
const catalogs = fc.uniqueArray(
  fc.record({
    minor: fc.integer({ min: 10, max: 18 }),
    operators: fc.subarray([0, 1, 2]),
    namedBy: fc.constantFrom("source", "policy", "nobody", "nobody"),
  }),
  { maxLength: 3, selector: ({ minor }) => minor },
);
const own = fc.array(fc.constantFrom("digest", "tag", "nobody"), { maxLength: 3 });

type Model = Readonly<{
  releases: readonly { minor: number; components: readonly number[] }[];
  clusters: readonly { current: number; previous: number | null; older: number; reports: string }[];
  plans: readonly { release: number; by: string }[];
  own: readonly string[];
  templates: readonly string[];
  catalogs: readonly { minor: number; operators: readonly number[]; namedBy: string }[];
}>;

const indexOf = (minor: number) => `${root}/index:v4.${minor}`;
const operatorsIn = (catalog: Model["catalogs"][number]) => [
  digestOf("d", catalog.minor),
  ...catalog.operators.flatMap((one) => [digestOf("f", one), digestOf("7", one)]),
];

function fleetOf({ releases: all, clusters: some, plans: planned, own: apps, ...model }: Model) {
  const releaseAt = (index: number) => index % all.length;
  const versionOf = (index: number) => `4.${all[releaseAt(index)]?.minor}.${releaseAt(index)}`;
  const imageOf = (index: number) => `${releaseRepository}@${digestOf("a", releaseAt(index))}`;
  const content = (index: number) => [
    digestOf("a", releaseAt(index)),
    ...(all[releaseAt(index)]?.components ?? []).flatMap((one) => [
      digestOf("c", one),
      ...(one < 2 ? [digestOf(`c${one}d`, 0), digestOf(`c${one}d`, 1)] : []),
    ]),
  ];
  const entry = (index: number) => ({ state: "Completed", version: versionOf(index), image: imageOf(index) });
  const objects = some.flatMap(({ current, previous, older, reports }, index): KubernetesObject[] => {
    const name = `c${index}`;
    const status = reports === "stale" ? "Unknown" : "True";
    const labels = reports === "nothing" ? {} : { openshiftVersion: versionOf(current) };
    const history = [current, ...(previous === null ? [] : [previous, older])].map(entry);
    const cluster = {
      ...kinds.ManagedCluster,
      metadata: { name, labels },
      status: { conditions: [{ type: "ManagedClusterConditionAvailable", status }] },
    };
    const info = {
      ...kinds.ManagedClusterInfo,
      metadata: { name, namespace: name },
      status: { distributionInfo: { ocp: { version: versionOf(current), versionHistory: history } } },
    };
    const hosted = { ...kinds.HostedCluster, metadata: { name, namespace: "clusters" } };
    if (reports === "hosted") return [{ ...hosted, status: { version: { history } } }];
    return reports === "images" || reports === "stale" ? [cluster, info] : [cluster];
  });
  for (const { release, by } of planned) {
    const desiredUpdate = by === "image" ? { image: imageOf(release) } : { version: versionOf(release) };
    const spec = { "policy-templates": [{ objectDefinition: { spec: { desiredUpdate } } }] };
    if (by === "cgu")
      objects.push({
        ...kinds.ClusterGroupUpgrade,
        metadata: { name: "u", namespace: "ztp" },
        status: { precaching: { spec: { platformImage: imageOf(release) } } },
      });
    else if (by === "seed")
      objects.push({
        ...kinds.ImageBasedGroupUpgrade,
        metadata: { name: "u" },
        spec: { seedImageRef: { image: "quay.io/seed:1", version: versionOf(release) } },
      });
    else objects.push({ ...kinds.Policy, metadata: { name: "p", namespace: "ztp" }, spec });
  }
  const minorAt = (index: number) => all[releaseAt(index)]?.minor ?? 0;
  const fields: Readonly<Record<string, object>> = {
    version: { desiredUpdate: { version: "{{hub .ManagedClusterName hub}}" } },
    minor: { desiredUpdate: { version: `4.${minorAt(0)}.{{ .Patch }}` } },
    image: { desiredUpdate: { image: "{{ .Image }}" } },
    component: { containers: [{ image: "quay.io/art@{{ .Digest }}" }] },
    catalog: { kind: "CatalogSource", spec: { image: `${root}/index:v4.{{ .Minor }}` } },
    own: { containers: [{ image: "quay.io/x/apps:{{ .Tag }}" }] },
    raw: { "object-templates-raw": "{{- range .All }}\n- version: '{{ . }}'\n{{- end }}" },
    any: { containers: [{ image: "{{ .Image }}" }] },
    name: { metadata: { name: "{{ .ManagedClusterName }}", labels: { site: "{{ .Site }}" } } },
  };
  for (const field of model.templates)
    objects.push({ ...kinds.Policy, metadata: { name: "t", namespace: "ztp" }, spec: { ...fields[field] } });
  for (const { minor, namedBy } of model.catalogs) {
    const source = { ...kinds.CatalogSource, metadata: { name: "s" }, spec: { image: indexOf(minor) } };
    if (namedBy === "source") objects.push(source);
    if (namedBy === "policy")
      objects.push({ ...kinds.Policy, metadata: { name: "s" }, spec: { objectDefinition: source } });
  }
  for (const [index, by] of apps.entries())
    if (by !== "nobody")
      objects.push({
        ...kinds.Deployment,
        metadata: { name: `app${index}` },
        spec: { image: by === "tag" ? `quay.io/x/app:own${index}` : `quay.io/x/app@${digestOf("e", index)}` },
      });
  const indexes = all.map((_, index) => index);
  const pulled = new Set([
    ...some.flatMap(({ current, previous, older, reports }) => {
      const minorOf = (index: number) => all[releaseAt(index)]?.minor ?? 0;
      const minor = minorOf(current) - 2;
      if (reports === "nothing") return indexes.flatMap(content);
      const isOlderLeft =
        previous !== null && [current, previous].every((one) => minorOf(one) !== minorOf(older));
      const history = [current, ...(previous === null ? [] : [previous]), ...(isOlderLeft ? [older] : [])];
      if (["images", "hosted"].includes(reports)) return history.flatMap(content);
      const reported = reports === "stale" ? history.flatMap(content) : [];
      return [...reported, ...indexes.filter((one) => minorOf(one) >= minor).flatMap(content)];
    }),
    ...planned.flatMap(({ release }) => content(release)),
    ...model.templates.flatMap((field) => {
      if (["version", "image", "raw"].includes(field)) return indexes.flatMap(content);
      if (field === "minor") return indexes.filter((one) => minorAt(one) === minorAt(0)).flatMap(content);
      if (field === "component")
        return indexes.flatMap(content).filter((digest) => !digest.startsWith("sha256:a"));
      return field === "own" ? apps.map((_, index) => digestOf("e", index)) : [];
    }),
    ...model.catalogs.flatMap((catalog) => {
      const isAnyNamed = catalog.namedBy !== "nobody" || model.templates.includes("catalog");
      // A cluster may have operators of each version that it ever ran; one that does not report, of any.
      const isInUse = some.some(({ current, previous, older, reports }) => {
        const ran = [current, ...(previous === null ? [] : [previous, older])].map(minorAt);
        // HyperShift also takes catalogs of the three minor versions before.
        if (reports === "hosted") return ran.some((one) => one - 3 <= catalog.minor);
        return reports === "images" ? ran.some((one) => one <= catalog.minor) : true;
      });
      return isAnyNamed || isInUse ? operatorsIn(catalog) : [];
    }),
    ...apps.flatMap((by, index) => (by === "nobody" ? [] : [digestOf("e", index)])),
  ]);
  return { objects, pulled, versionOf, releaseDigests: indexes.map((index) => digestOf("a", index)) };
}

/** A registry with all releases, components, applications, and a signature of each image. */
function registryOf(model: Model, versionOf: (index: number) => string) {
  const held = new Map<string, string>();
  const put = (repository: string, tag: string, digest: string) => {
    held.set(`${repository}:${tag}`, digest);
    held.set(
      `${repository}:${digest.replace(":", "-")}.sig`,
      `sha256:${digest.slice(7, 20).padEnd(64, "9")}`,
    );
  };
  for (const [index, { components }] of model.releases.entries()) {
    put(releaseRepository, `${versionOf(index)}-x86_64`, digestOf("a", index));
    for (const one of components)
      put(componentRepository, `${versionOf(index)}-x86_64-c${one}`, digestOf("c", one));
  }
  for (const index of model.own.keys()) put(`${root}/apps`, `own${index}`, digestOf("e", index));
  for (const { minor } of model.catalogs) put(`${root}/index`, `v4.${minor}`, digestOf("d", minor));
  for (const one of [0, 1, 2]) {
    put(`${root}/olm/operator`, `o${one}`, digestOf("f", one));
    put(`${root}/olm/tool`, `t${one}`, digestOf("7", one));
  }
  put(`${root}/others`, "v1", digestOf("b", 0));
  const resolve = (image: string) => /@(.*)/.exec(image)?.[1] ?? held.get(image);
  const releaseOf = (digest: string) => (digest.startsWith("sha256:a") ? Number(digest[8]) : undefined);
  const manifest = (digest: string): RegistryManifest => {
    const list = /^sha256:c([01])0/.exec(digest)?.[1];
    const children = [0, 1].map((one) => ({
      digest: digestOf(`c${list}d`, one),
      architecture: "amd64",
      os: "linux",
    }));
    return list === undefined
      ? { kind: "image", digest, size: 1, config: layer(digest), layers: [layer(digest)] }
      : { kind: "list", digest, size: 1, platforms: children };
  };
  const registry: Registry & RegistryContents & RegistryCatalog = {
    repositories: async () => [
      ...new Set([...held.keys()].map((key) => key.slice("m.lan/".length).replace(/:.*/, ""))),
    ],
    tags: async (name) =>
      [...held.keys()].flatMap((key) => (key.startsWith(`${name}:`) ? [key.slice(name.length + 1)] : [])),
    digest: async (image) => resolve(image),
    manifest: async (image) => {
      const digest = resolve(image);
      return digest === undefined ? undefined : manifest(digest);
    },
    image: async (image) => {
      const digest = resolve(image) ?? "";
      const index = releaseOf(digest);
      const ofCatalog = digest.startsWith("sha256:d") ? { [configsLabel]: "/configs" } : {};
      const labels = index === undefined ? ofCatalog : { [releaseLabel]: versionOf(index) };
      return { digest, listDigest: digest, architecture: "amd64", os: "linux", labels, layers: [], size: 1 };
    },
    files: async (image, [path = ""]) => {
      const { components = [] } = model.releases[releaseOf(resolve(image) ?? "") ?? -1] ?? {};
      const tags = components.map((one) => ({
        name: `c${one}`,
        from: { name: `quay.io/art@${digestOf("c", one)}` },
      }));
      return new Map([[path, JSON.stringify({ spec: { tags } })]]);
    },
    hasBlob: async () => true,
    signatures: async () => [],
    visitFolder: async (image, _folder, visit) => {
      const catalog = model.catalogs.find(({ minor }) => digestOf("d", minor) === resolve(image));
      const bundles = (catalog?.operators ?? []).map((one) => ({
        schema: "olm.bundle",
        package: `p${one}`,
        name: `p${one}.v1`,
        image: `registry.redhat.io/olm/operator@${digestOf("f", one)}`,
        relatedImages: [{ image: `quay.io/olm/tool:t${one}` }],
      }));
      for (const bundle of bundles) visit(`configs/${bundle.package}/catalog.json`, JSON.stringify(bundle));
      return catalog !== undefined;
    },
  };
  return registry;
}

const model = fc.record({ releases, clusters, plans, templates, catalogs, own, hasOwn: fc.boolean() });

test("When fleets and registries are random, nothing that a cluster could pull should be listed, and the rest should be", async () => {
  await fc.assert(
    fc.asyncProperty(model, async ({ hasOwn, ...fleet }) => {
      const { objects, pulled, versionOf, releaseDigests } = fleetOf(fleet);
      const registry = registryOf(fleet, versionOf);
      const stored = await readInventory([root], { registry, access: {} });
      const location = {
        isMirror: true,
        insecure: false,
        skipped: undefined,
        name: 0,
      };
      const routeOf = (image: string) => ({ image, locations: [{ ...location, reference: image }] });
      const expansion = { registry, access: {}, architecture: "amd64", routeOf };
      const needed = await neededImages(needsOf(objects), stored, expansion, hasOwn);
      expect(needed.unknown.length > 0).toBe(fleet.templates.includes("any"));
      if (needed.unknown.length > 0) return;
      const judgedToo = hasOwn ? [`${root}/apps`, `${root}/olm/tool`] : [];
      const { images } = findUnneeded(stored, { ...needed, own: judgedToo });
      const listed = new Set(images.map(({ digest }) => digest));
      const signatureOf = (digest: string) => `sha256:${digest.slice(7, 20).padEnd(64, "9")}`;
      expect([...pulled].filter((digest) => listed.has(digest) || listed.has(signatureOf(digest)))).toEqual(
        [],
      );
      expect([...listed].filter((digest) => digest.startsWith("sha256:b"))).toEqual([]);
      const newest =
        [...releaseDigests.keys()]
          .filter((one) => pulled.has(digestOf("a", one)))
          .map(versionOf)
          .sort(byVersion)
          .at(-1) ?? "";
      for (const [index, digest] of releaseDigests.entries()) {
        const isNewer = byVersion(versionOf(index), newest) > 0;
        expect({ digest, isListed: listed.has(digest) }).toEqual({
          digest,
          isListed: !pulled.has(digest) && !isNewer,
        });
      }
      const oldest = Math.min(...fleet.releases.map(({ minor }) => minor)) - 3;
      const unused = fleet.catalogs.map(({ minor }) => minor).filter((minor) => minor < oldest);
      expect(
        unused.filter((one) => !pulled.has(digestOf("d", one)) && !listed.has(digestOf("d", one))),
      ).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
