import { expect, test } from "vitest";
import { writtenCapabilities } from "#shared/domain/hosted-clusters/capabilities/cluster-version-capabilities.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import {
  controlPlaneOf,
  guestClusterVersion,
  hypershiftFinalizer,
  type World,
} from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { aDisposedWorld } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";

const key = "clusters/shop";
const before = "4.18.9";
const after = "4.20.4";
const imageOf = (version: string) => `quay.io/openshift-release-dev/ocp-release:${version}-multi`;
const completed = (version: string) => ({ state: "Completed", version, image: imageOf(version) });
const partial = (version: string) => ({ state: "Partial", version, image: imageOf(version) });

type Choice = Readonly<{ disabled?: readonly string[] }>;

/** A step of an upgrade: what HyperShift's operators have written until then. */
type Step = Readonly<{ requested: string; history: readonly unknown[]; capabilitiesOf: string }>;

const steps: readonly Step[] = [
  { requested: before, history: [completed(before)], capabilitiesOf: before },
  { requested: after, history: [completed(before)], capabilitiesOf: before },
  { requested: after, history: [partial(after), completed(before)], capabilitiesOf: before },
  { requested: after, history: [partial(after), completed(before)], capabilitiesOf: after },
  { requested: after, history: [completed(after), completed(before)], capabilitiesOf: after },
];

async function update(
  { hub, guest }: World,
  { requested, history, capabilitiesOf }: Step,
  choice: Choice,
): Promise<void> {
  const hostedCluster = await hub.get(kinds.HostedCluster, "shop", "clusters");
  const clusterVersion = await guest.get(kinds.ClusterVersion, "version");
  if (!hostedCluster || !clusterVersion) throw new Error("the hosted cluster of this test is gone");
  const spec = { ...Object(hostedCluster.spec), release: { image: imageOf(requested) } };
  const updated = await hub.update({ ...hostedCluster, spec });
  const desired = { version: requested, image: imageOf(requested) };
  await hub.updateStatus({ ...updated, status: { version: { desired, history } } });
  const { capabilities: _, ...others } = Object(clusterVersion.spec);
  const capabilities = writtenCapabilities({ choice, version: capabilitiesOf });
  await guest.update({ ...clusterVersion, spec: { ...others, ...(capabilities ? { capabilities } : {}) } });
}

async function worldOf(mode: string, choice: Choice): Promise<World> {
  const hostedCluster = aHostedCluster({
    metadata: { finalizers: mode === "verify" ? [hypershiftFinalizer] : [] },
    spec: { capabilities: choice, release: { image: imageOf(before) } },
  });
  const { apiVersion, kind, metadata, spec } = guestClusterVersion();
  const installed = { ...hostedCluster, status: { version: { history: [completed(before)] } } };
  return aDisposedWorld(
    [installed, ...controlPlaneOf(hostedCluster)],
    [{ apiVersion, kind, metadata, spec }],
  );
}

const written = ({ actions }: Plan): readonly string[] =>
  actions.flatMap(({ verb, object }) => (object.kind === "Event" ? [] : [`${verb} ${object.kind}`]));

/** Settles, waits longer than HyperShift may take, and settles again. */
async function reconciled(
  world: World,
): Promise<Readonly<{ written: readonly string[]; drift: readonly string[] }>> {
  const first = await world.deliver(key);
  await world.settle(key);
  world.clock.now = new Date(world.clock.now.getTime() + 3_600_000);
  const late = await world.deliver(key);
  await world.settle(key);
  const drift = [first, late].flatMap(({ decisions }) =>
    decisions.flatMap(({ verdict, reason }) => (["drift", "expected"].includes(verdict) ? [reason] : [])),
  );
  return { written: [first, late].flatMap(written), drift };
}

const choices: readonly Choice[] = [
  {},
  { disabled: ["ImageRegistry"] },
  { disabled: ["Console", "Ingress"] },
  { disabled: ["Console", "ImageRegistry", "Ingress"] },
];

test.for(["own", "verify"].flatMap((mode) => choices.map((choice) => ({ mode, choice }))))(
  "When a cluster with $choice is upgraded from 4.18 to 4.20, nothing should be written or drift in $mode mode",
  async ({ mode, choice }) => {
    const world = await worldOf(mode, choice);
    const [installed, ...upgrade] = steps;
    if (installed) await update(world, installed, choice);
    const start = await reconciled(world);
    expect(start.drift).toEqual([]);
    expect(start.written).not.toContain("update ClusterVersion");
    for (const step of upgrade) {
      await update(world, step, choice);
      expect(await reconciled(world), JSON.stringify(step)).toEqual({ written: [], drift: [] });
    }
  },
);
