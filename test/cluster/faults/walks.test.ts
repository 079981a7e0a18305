import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { byCodeUnit, objectsOf } from "#shared/domain/kubernetes/json/values.ts";
import {
  displayName,
  type Kind,
  type KubernetesObject,
  kinds,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import { aClusterImagePolicy } from "#shared/domain/mirrors/policies/fixtures.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { HubError } from "#shared/ports/hub.ts";
import { validHostedClusterSpec } from "../../support/hosted-clusters/hostile-changes.ts";
import { aNodePool } from "../../support/hosted-clusters/node-pools.ts";
import { asNew, createObject } from "../../support/hub/create-object.ts";
import {
  aContentSourcePolicy,
  aDigestMirrorSet,
  anImageConfig,
  aPool,
  aTagMirrorSet,
} from "../../support/hub/objects.ts";
import { essential, lastingKinds, objectsOn } from "../../support/kills/hub-content.ts";
import { countRun, drawn } from "../../support/setup/soak.ts";
import { startHub, type TestHub } from "../support/clusters/cluster.ts";
import { makeFleet, plainFates } from "../support/clusters/simulated-fleet.ts";
import { tick } from "../support/clusters/ticks.ts";
import { createNamespace } from "../support/manifests/apply-manifests.ts";
import { createClusterVersion } from "../support/manifests/control-plane.ts";
import { hubCrds } from "../support/manifests/crds.ts";
import { walkOf } from "../support/manifests/schema-walk.ts";

const rule = (team: string) => [{ source: `quay.io/${team}`, mirrors: [`m.example.com/${team}`] }];
const hostedCluster: KubernetesObject = {
  apiVersion: kinds.HostedCluster.apiVersion,
  kind: kinds.HostedCluster.kind,
  metadata: { name: "shop", namespace: "clusters", annotations: { "hubrelay.dev/take-over": "true" } },
  spec: { ...validHostedClusterSpec, imageContentSources: rule("hosted") },
};
const window = windowObject({ schedule: "* * * * *", duration: "2h" });

const mirrorSets: ReadonlySet<Kind> = new Set([
  kinds.ImageDigestMirrorSet,
  kinds.ImageTagMirrorSet,
  kinds.ImageContentSourcePolicy,
]);

/** What people write, and what follows from it: a change leaves everything else as it is. */
const areas: readonly Readonly<{ sources: readonly Kind[]; derived: readonly Kind[] }>[] = [
  {
    sources: [
      kinds.ImageDigestMirrorSet,
      kinds.ImageTagMirrorSet,
      kinds.ImageContentSourcePolicy,
      kinds.Image,
      kinds.ClusterImagePolicy,
      kinds.MachineConfigPool,
    ],
    derived: [kinds.MachineConfig],
  },
  {
    sources: [
      kinds.ManagedCluster,
      kinds.PreCachingConfig,
      kinds.ClusterGroupUpgrade,
      kinds.MaintenanceWindow,
    ],
    derived: [kinds.ManifestWork, kinds.PreCachingReport],
  },
  { sources: [kinds.HostedCluster, kinds.NodePool], derived: [] },
];

let server: TestHub;
let person: KubernetesHub;
/** One moment: what follows from time alone is not this test's. */
const now = new Date();
beforeAll(async () => {
  server = await startHub();
  person = kubernetesHub(server.admin.kubeConfig);
  await createClusterVersion(person);
  await createNamespace(server.api, "clusters");
  for (const object of [
    anImageConfig({
      insecureRegistries: ["insecure.example.com"],
      blockedRegistries: ["blocked.example.com"],
    }),
    aPool("master"),
    aPool("worker"),
    aDigestMirrorSet("acme", rule("acme")),
    aDigestMirrorSet("other", rule("other")),
    aTagMirrorSet("tags", rule("tags")),
    aContentSourcePolicy("older", rule("older")),
    aClusterImagePolicy("signed", ["quay.io/signed"]),
    hostedCluster,
    aNodePool("blue", { platform: { type: "None" }, release: validHostedClusterSpec.release }),
    { ...window, metadata: { namespace: "default", name: "always" } },
  ])
    await person.create(asNew(object));
  const fleet = plainFates(3, { jobMs: 0 });
  const upgrade = await makeFleet(person, server.api, fleet, { maxConcurrency: 2, timeoutMinutes: 240 });
  const { name, namespace = "" } = upgrade.metadata;
  const config = await person.get(kinds.PreCachingConfig, name, namespace);
  if (!config) throw new Error("the upgrade has no configuration");
  await person.create({ ...upgrade, spec: { ...Object(upgrade.spec), clusters: ["sno1", "sno2"] } });
  const other = { name: "other", namespace };
  await person.create({ ...config, metadata: other });
  const spec = { ...Object(upgrade.spec), clusters: ["sno3"], preCachingConfigRef: other };
  await person.create({ ...upgrade, metadata: other, spec });
  await settled();
});
afterAll(async () => {
  person.close();
  await server.stop();
});

type Content = ReadonlyMap<string, unknown>;

/**
 * As with TALM, a condition whose status changes moves to the end; one about a problem stays and says that it is over. A
 * cluster's start is the server's time of its ManifestWork, which another plan replaces.
 */
function withoutHistory(name: string, value: unknown): unknown {
  if (name === "started") return undefined;
  if (name !== "conditions") return value;
  return objectsOf(value)
    .filter(({ reason }) => reason !== "Resolved")
    .toSorted((a, b) => byCodeUnit(String(a.type), String(b.type)));
}

function stateOf(object: KubernetesObject): unknown {
  const { status, ...rest } = JSON.parse(JSON.stringify(essential(object), withoutHistory));
  return isDeepStrictEqual(status, { conditions: [] }) ? rest : { ...rest, status };
}

/** Everything on the hub, by kind and name. */
async function content(): Promise<Content> {
  const objects = await objectsOn(person, lastingKinds);
  return new Map(objects.map((object) => [displayName(referenceTo(object)), stateOf(object)]));
}

/** Returns the content once a tick changes nothing any more. */
async function settled(): Promise<Content> {
  let before = await content();
  for (let ticks = 0; ticks < 6; ticks++) {
    await tick(person, now);
    const after = await content();
    if (isDeepStrictEqual(after, before)) return after;
    before = after;
  }
  throw new Error("the functions do not come to rest");
}

/** Returns false when the server refuses it: its schema has rules beyond types. */
async function setSpec(kind: Kind, { metadata }: KubernetesObject, spec: unknown): Promise<boolean> {
  const present = await person.get(kind, metadata.name, metadata.namespace);
  if (!present) throw new Error(`${kind.kind} ${metadata.name} is gone`);
  try {
    await person.update({ ...present, spec });
    return true;
  } catch (error) {
    if (error instanceof HubError && error.code === "Invalid") return false;
    throw error;
  }
}

const without = (all: Content, changing: readonly Kind[]): Content =>
  new Map([...all].filter(([name]) => !changing.some(({ kind }) => name.startsWith(`${kind}/`))));

/** What belongs to the upgrade that this test does not change. */
const ofOther = (all: Content): Content =>
  new Map([...all].filter(([name]) => /^(?:ManifestWork\/sno3|\w+\/default\/other)/.test(name)));

const upgradeKinds: ReadonlySet<Kind> = new Set([kinds.ClusterGroupUpgrade, kinds.PreCachingConfig]);

/** Checks what must not follow from a change of an object: other areas, other upgrades, other mirror sets. */
async function expectOthers(
  { sources, derived }: (typeof areas)[number],
  { kind, object }: Readonly<{ kind: Kind; object: KubernetesObject }>,
  { before, after, what }: Readonly<{ before: Content; after: Content; what: string }>,
): Promise<void> {
  const changing = [...sources, ...derived];
  expect(without(after, changing), what).toEqual(without(before, changing));
  if (object.metadata.name === "other") return;
  if (upgradeKinds.has(kind)) expect(ofOther(after), what).toEqual(ofOther(before));
  if (!mirrorSets.has(kind)) return;
  const rendered = (await person.list(kinds.MachineConfig)).map((one) =>
    readMachineConfigFiles(one)
      .map(({ contents }) => contents)
      .join(),
  );
  expect(rendered, what).toEqual(Array(2).fill(expect.stringContaining("m.example.com/other")));
}

/** How many values are tried until the server accepts one. */
const maxTries = 8;
const cases = drawn(
  "fields changed and changed back",
  { ci: 12, soak: 250 },
  fc.record({ area: fc.constantFrom(...areas), kind: fc.nat(), object: fc.nat(), variant: fc.nat() }),
);
/** The element of this number, as if the list had no end. */
const elementOf = <Item>(list: readonly Item[], number: number): Item => {
  const found = list[number % list.length];
  if (found === undefined) throw new Error("there is nothing to choose from");
  return found;
};

test("When a field of a kind's schema is changed, what does not follow from it should stay, and everything be as before when it is changed back", async () => {
  const crds = await hubCrds();
  const before = await settled();
  expect(ofOther(before).size).toBeGreaterThan(3);
  const changed = new Set<string>();
  for (const { area, ...numbers } of cases) {
    const kind = elementOf(area.sources, numbers.kind);
    const object = elementOf(await person.list(kind), numbers.object);
    const variants = walkOf(kind, crds, object.spec);
    // Most values of some fields are refused by the server's rules beyond types.
    const tried = Array.from({ length: maxTries }, (_, index) =>
      elementOf(variants, numbers.variant + index),
    ).values();
    let what = `${displayName(referenceTo(object))}, of which the server refuses every change`;
    for (const { path, spec } of tried) {
      if (!(await setSpec(kind, object, spec))) continue;
      what = `${displayName(referenceTo(object))} ${path}: ${JSON.stringify(spec)}`;
      countRun("a field changed and changed back");
      changed.add(kind.kind);
      await expectOthers(area, { kind, object }, { before, after: await settled(), what });
      if (!(await setSpec(kind, object, object.spec))) {
        // The server's rules permit the change, and no way back.
        const { uid: _uid, resourceVersion: _version, ...reference } = referenceTo(object);
        await person.delete(reference);
        await createObject(person, object);
      }
      break;
    }
    expect(await settled(), what).toEqual(before);
  }
  console.log("fields changed of", [...changed].toSorted().join(", "));
  expect(changed.size).toBeGreaterThan(process.env.SOAK ? 11 : 5);
}, 3_600_000);

test("When a reader of the hub misses the way back, the same should not be as before", async () => {
  const before = await settled();
  const object = await person.get(kinds.ImageDigestMirrorSet, "acme");
  if (!object) throw new Error("the mirror set of this test is gone");
  await setSpec(kinds.ImageDigestMirrorSet, object, { imageDigestMirrors: rule("changed") });
  const missed = await person.list(kinds.ImageDigestMirrorSet);
  await setSpec(kinds.ImageDigestMirrorSet, object, object.spec);
  await tick(
    {
      ...person,
      list: async (kind, options) =>
        kind === kinds.ImageDigestMirrorSet ? missed : person.list(kind, options),
    },
    now,
  );
  expect(await content()).not.toEqual(before);
  expect(await settled()).toEqual(before);
});
