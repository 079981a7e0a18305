import { hostedClusters } from "#functions/hosted-clusters/controller.ts";
import { reportHostedClusters } from "#shared/domain/hosted-clusters/hosted-cluster-report.ts";
import { takeOverAnnotation } from "#shared/domain/issues/annotations.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { reconcile } from "#shared/runtime/reconcile.ts";
import { aWorld, type World } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { aHostedFleet } from "../../test/support/hosted-clusters/hosted-fleet-system.ts";
import { recordedHub } from "../../test/support/hub/recorded-hub.ts";
import type { Claim, Goal, Row } from "../claim.ts";
import { inTurns, median, series, timePerRun } from "../measure.ts";
import { catalogsOf, fleetMirrors, hostedFleet, mirrorSet } from "../support/hosted-fleet.ts";

const against = "HyperShift, which gives every cluster the same text";
/** HyperShift restarts two operators and the ignition server when `OPENSHIFT_IMG_OVERRIDES` changes. */
const restartsOfCluster = 3;
const applications = 500;

function textsOf(objects: readonly KubernetesObject[], writer: "hubrelay" | "HyperShift"): readonly string[] {
  const annotations = { [takeOverAnnotation]: String(writer === "hubrelay") };
  const written = objects.map((object) =>
    object.kind === "HostedCluster"
      ? { ...object, metadata: { ...object.metadata, annotations, finalizers: [] } }
      : object,
  );
  return reportHostedClusters(written).clusters.map(({ env }) => env.OPENSHIFT_IMG_OVERRIDES);
}

function changed(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  writer: "hubrelay" | "HyperShift",
): number {
  const old = textsOf(before, writer);
  return textsOf(after, writer).filter((text, index) => text !== old[index]).length;
}

function restarts(clusters: number, subject: string, source: string, goal: Goal): Row {
  const before = [...hostedFleet(clusters), ...fleetMirrors(clusters, applications)];
  const after = [...before, mirrorSet("changed", [source], "other.example.com")];
  const ours = changed(before, after, "hubrelay") * restartsOfCluster;
  const theirs = changed(before, after, "HyperShift") * restartsOfCluster;
  return {
    subject: `${clusters} HostedClusters, ${subject}`,
    against,
    ratio: ours / theirs,
    measures: "count",
    goal,
    numbers: { subjectRestarts: ours, peerRestarts: theirs },
  };
}

type Cost = { requests: number; writes: number; ms: number };

async function costOf(world: World, wanted?: readonly string[]): Promise<Cost> {
  const count = { requests: 0, writes: 0 };
  const started = performance.now();
  const hub = recordedHub(world.hub, ({ verb }) => {
    count.requests++;
    if (verb !== "get" && verb !== "list") count.writes++;
  });
  const keys = wanted ?? (await world.affected(hub));
  for (const key of keys) await reconcile(hostedClusters, key, { ...world.ports, hub });
  return { ...count, ms: performance.now() - started };
}

async function touch({ hub }: World, cluster: KubernetesObject): Promise<void> {
  const { namespace, name } = cluster.metadata;
  const present = await hub.get(kinds.HostedCluster, name, namespace);
  if (!present) throw new Error(`${name} is not on the hub`);
  const labels = { ...present.metadata.labels, touched: "yes" };
  await hub.update({ ...present, metadata: { ...present.metadata, labels } });
}

async function requests(clusters: number): Promise<readonly Row[]> {
  const fleet = hostedFleet(clusters);
  const world = await aWorld([...fleet, ...fleetMirrors(clusters, applications)]);
  try {
    const all = fleet.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    await costOf(world, all);
    const everyCluster = await costOf(world, all);
    const rowsOf = (subject: string, { requests: ours, writes, ms }: Cost, goal: Goal): readonly Row[] => {
      const common = { against: "a reconcile of every cluster" };
      return [
        {
          ...common,
          measures: "count",
          goal,
          subject: `${clusters} HostedClusters, requests for ${subject}`,
          ratio: ours / everyCluster.requests,
          numbers: { subjectRequests: ours, subjectWrites: writes, peerRequests: everyCluster.requests },
        },
        {
          ...common,
          subject: `${clusters} HostedClusters, time for ${subject}`,
          ratio: ms / everyCluster.ms,
          measures: "wall time",
          numbers: { subjectMs: ms, peerMs: everyCluster.ms },
        },
      ];
    };
    const few = { atMost: 10 / clusters };
    const rows: Row[] = [];
    for (const [subject, source] of [
      ["a mirror for an application", "docker.io/team"],
      ["a mirror for one's catalogs", catalogsOf(7)],
    ] as const) {
      await world.hub.create(mirrorSet(`changed-${rows.length}`, [source], "other.example.com"));
      rows.push(...rowsOf(subject, await costOf(world), few));
    }
    const [first] = fleet;
    if (!first) throw new Error("a fleet has clusters");
    await touch(world, first);
    rows.push(...rowsOf("a changed HostedCluster", await costOf(world, all.slice(0, 1)), few));
    const again = await costOf(world, all);
    if (again.writes > 0) throw new Error("a reconcile without changes has written");
    return rows;
  } finally {
    await world.close();
  }
}

/** The number of ticks in which every hosted cluster is reconciled once while nothing changes. */
const quietTicks = 33;

async function quietTick(clusters: number, disabled: readonly string[] = []): Promise<Row> {
  const { system, tick } = await aHostedFleet(clusters, disabled);
  const whole = await tick(true);
  const requests: number[] = [];
  for (let round = 0; round < quietTicks; round++) {
    system.pass(300);
    requests.push((await tick()).requests);
  }
  const mean = requests.reduce((sum, one) => sum + one, 0) / quietTicks;
  const without = disabled.length > 0 ? ` without ${disabled.join(" and ")}` : "";
  return {
    subject: `${clusters} HostedClusters${without}, requests of a tick in which nothing has changed`,
    against: "one for each",
    ratio: mean / clusters,
    measures: "count",
    goal: { atMost: 1 },
    numbers: { meanRequests: mean, mostRequests: Math.max(...requests), wholeRequests: whole.requests },
  };
}

async function growth(smoke: boolean): Promise<Row> {
  const [few, many] = [50, 500].map((clusters) => {
    const objects = [...hostedFleet(clusters), ...fleetMirrors(500, applications)];
    return series(() => timePerRun(() => textsOf(objects, "hubrelay")));
  });
  if (!few || !many) throw new Error("two sizes are required");
  await inTurns(1, few, many); // warm-up
  few.values.length = 0;
  many.values.length = 0;
  await inTurns(smoke ? 1 : 7, few, many);
  const numbers = { largeMs: median(many.values), smallMs: median(few.values) };
  return {
    subject: "growth: 500 HostedClusters, 1,002 sources",
    against: "itself with 50",
    ratio: numbers.largeMs / numbers.smallMs,
    measures: "processor time",
    goal: { atMost: 12 },
    numbers,
  };
}

export const hostedClustersClaim: Claim = {
  name: "hosted-clusters",
  goal:
    "restarts of control-plane operators for one changed mirror object, divided by those with HyperShift: none " +
    "when it affects no cluster, one cluster's when it affects one; requests to the hub for it, divided by those " +
    "of a reconcile of every cluster: at most those of ten clusters, also for a changed HostedCluster; requests of a " +
    "tick in which nothing has changed: on average at most one for each cluster; and 500 clusters take at most 12 times as long as 50",
  async run({ smoke }) {
    const clusters = smoke ? 50 : 500;
    const release = "quay.io/openshift-release-dev/ocp-release";
    return [
      restarts(clusters, "a mirror for an application", "docker.io/team", { atMost: 0 }),
      restarts(clusters, "a mirror for one's catalogs", catalogsOf(7), { atMost: 1 / clusters }),
      restarts(clusters, "a mirror for the release of all clusters", release, { atMost: 1 }),
      ...(await requests(clusters)),
      await quietTick(smoke ? 100 : 500),
      await quietTick(smoke ? 100 : 500, ["ImageRegistry", "NodeTuning"]),
      ...(smoke ? [] : [await quietTick(5_000)]),
      await growth(smoke),
    ];
  },
};
