import { mirrorsKey } from "#functions/hosted-clusters/interest.ts";
import { hostedClusters } from "#functions/hosted-clusters/reaction.ts";
import { reportHostedClusters } from "#shared/domain/hosted-clusters/report.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { reconcile } from "#shared/shell/reconcile.ts";
import { aWorld, type World } from "../../test/support/hosted-cluster-hub.ts";
import { recordedHub } from "../../test/support/recorded-hub.ts";
import type { Claim, Goal, Row } from "../claim.ts";
import { inTurns, median, series, timePerRun } from "../measure.ts";
import { catalogsOf, fleetMirrors, hostedFleet, mirrorSet } from "../support/hosted-fleet.ts";

const against = "HyperShift, whose text every cluster has";
/** Control-plane operator, hosted-cluster-config-operator and ignition server have the text in their environment. */
const restartsOfCluster = 3;
const applications = 500;

/** The text of `OPENSHIFT_IMG_OVERRIDES` of each cluster. */
function textsOf(objects: readonly KubernetesObject[], compat?: "hypershift"): readonly string[] {
  return reportHostedClusters(objects, { compat }).clusters.map(({ env }) => env.OPENSHIFT_IMG_OVERRIDES);
}

/** How many clusters have another text after the change. */
function changed(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  compat?: "hypershift",
): number {
  const old = textsOf(before, compat);
  return textsOf(after, compat).filter((text, index) => text !== old[index]).length;
}

/** Restarts of one changed mirror object, ours and HyperShift's, counted from the texts before and after. */
function restarts(clusters: number, subject: string, source: string, goal: Goal): Row {
  const before = [...hostedFleet(clusters), ...fleetMirrors(clusters, applications)];
  const after = [...before, mirrorSet("changed", [source], "other.example.com")];
  const ours = changed(before, after) * restartsOfCluster;
  const theirs = changed(before, after, "hypershift") * restartsOfCluster;
  return {
    subject: `${clusters} HostedClusters, ${subject}`,
    against,
    ratio: ours / theirs,
    goal,
    numbers: { subjectRestarts: ours, peerRestarts: theirs },
  };
}

/** What the function asks of the hub: all requests, and those of them that write. */
type Requests = { requests: number; writes: number };

/** Reconciles these keys, and then the hosted clusters that this handed on. */
async function countRequests(world: World, keys: readonly string[]): Promise<Requests> {
  const count: Requests = { requests: 0, writes: 0 };
  const hub = recordedHub(world.hub, ({ verb }) => {
    count.requests++;
    if (verb !== "get" && verb !== "list") count.writes++;
  });
  world.sent.length = 0;
  for (const key of keys) await reconcile(hostedClusters, key, { ...world.ports, hub });
  for (const key of world.sent.splice(0)) await reconcile(hostedClusters, key, { ...world.ports, hub });
  return count;
}

/** Requests of one changed mirror object after another, beside those of a function that looks at every cluster. */
async function requests(clusters: number): Promise<readonly Row[]> {
  const fleet = hostedFleet(clusters);
  const world = await aWorld([...fleet, ...fleetMirrors(clusters, applications)]);
  try {
    const all = fleet.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    await countRequests(world, all);
    const everyCluster = await countRequests(world, all);
    const changes = [
      { subject: "a mirror for an application", source: "docker.io/team", goal: { atMost: 10 / clusters } },
      { subject: "a mirror for one's catalogs", source: catalogsOf(7), goal: { atMost: 10 / clusters } },
    ];
    const rows: Row[] = [];
    for (const { subject, source, goal } of changes) {
      await world.hub.create(mirrorSet(`changed-${rows.length}`, [source], "other.example.com"));
      const { requests: ours, writes } = await countRequests(world, [mirrorsKey]);
      rows.push({
        subject: `${clusters} HostedClusters, requests for ${subject}`,
        against: "a look at every cluster",
        ratio: ours / everyCluster.requests,
        goal,
        numbers: { subjectRequests: ours, subjectWrites: writes, peerRequests: everyCluster.requests },
      });
    }
    return rows;
  } finally {
    await world.close();
  }
}

/** Time for the overrides, catalogs and capabilities of all clusters, with ten times as many of them. */
async function growth(smoke: boolean): Promise<Row> {
  const [few, many] = [50, 500].map((clusters) => {
    const objects = [...hostedFleet(clusters), ...fleetMirrors(500, applications)];
    return series(() => timePerRun(() => textsOf(objects)));
  });
  if (!few || !many) throw new Error("two sizes were asked for");
  await inTurns(1, few, many); // warm-up
  few.values.length = 0;
  many.values.length = 0;
  await inTurns(smoke ? 1 : 7, few, many);
  const numbers = { largeMs: median(many.values), smallMs: median(few.values) };
  return {
    subject: "growth: 500 HostedClusters, 1,002 sources",
    against: "itself with 50",
    ratio: numbers.largeMs / numbers.smallMs,
    goal: { atMost: 12 },
    numbers,
  };
}

export const hostedClustersClaim: Claim = {
  name: "hosted-clusters",
  goal:
    "restarts of control-plane operators for one changed mirror object, divided by those of HyperShift's way: none " +
    "when it concerns no cluster, one cluster's when it concerns one; requests to the hub for it, divided by those of a look at every cluster: as " +
    "many as ten clusters at most; and 500 clusters take at most 12 times as long as 50",
  async run({ smoke }) {
    const clusters = smoke ? 50 : 500;
    const release = "quay.io/openshift-release-dev/ocp-release";
    return [
      restarts(clusters, "a mirror for an application", "docker.io/team", { atMost: 0 }),
      restarts(clusters, "a mirror for one's catalogs", catalogsOf(7), { atMost: 1 / clusters }),
      restarts(clusters, "a mirror for everybody's release", release, { atMost: 1 }),
      ...(await requests(clusters)),
      await growth(smoke),
    ];
  },
};
