import { controllers } from "#functions/controllers.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { mirrorRuleKinds } from "#shared/domain/mirrors/input/rules.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { simulatedPlanning } from "../../../cli/simulation/simulated-planning.ts";
import { aWorldOf, inMemory } from "../../support/hosted-clusters/hosted-cluster-hub.ts";
import { aManagedCluster } from "../../support/precache/precache-plan-objects.ts";
import { precacheSystem } from "../../support/precache/precache-system.ts";
import { exampleObjects } from "./example-console.ts";
import { agentsOf, fleet, namesAt, siteOf, tickMinutes, upgradeTo, windows } from "./night-clusters.ts";
import {
  controlPlane,
  edgeMirrors,
  guestVersion,
  hubRegistry,
  mirrorRegistry,
  nodePools,
  type Tenant,
  tenants,
} from "./night-tenants.ts";

/*
 * A night of a fleet, as all functions see it: simulated are the clock, the work agents of clusters, and the registry.
 * Everything that the pages show follows from that. The night is the same in every run.
 */

const minute = 60_000;
const at = (time: string) => new Date(`2026-03-${time}:00Z`).getTime();
const evening = at("03T20:30");
/** The time that the pages show. */
const shown = at("03T22:20");
const mirrorsChange = at("03T21:50");

/** Runs the functions until the time that is shown. Returns the hub, and the time. */
export async function simulatedNight() {
  const { registry, present, next } = mirrorRegistry();
  const outside = aWorldOf(inMemory([], [guestVersion])).ports.external;
  const external = { ...noExternalPorts, ...outside, planning: simulatedPlanning, freshRegistry: registry };
  const system = precacheSystem(undefined, controllers, (ports) => ({ ...ports, external }));
  const { hub } = system;
  const passUntil = (time: number) => system.pass((time - system.now().getTime()) / 1_000);

  const examples = (await exampleObjects()).filter(
    ({ kind }) =>
      !["ClusterGroupUpgrade", "ManagedCluster", "Policy", "PreCachingConfig", "MaintenanceWindow"].includes(
        kind,
      ),
  );
  const rules = examples.filter((object) => mirrorRuleKinds.some((kind) => kind.kind === object.kind));
  passUntil(evening - 60 * minute);
  const managed = [...fleet, ...namesAt("narvik")].map((name) =>
    aManagedCluster(name, { labels: { site: siteOf(name) } }),
  );
  const hosted = tenants(examples);
  const putControlPlanes = (some: readonly Tenant[], of: readonly KubernetesObject[]) => {
    for (const object of some.flatMap((tenant) => controlPlane(tenant, of))) hub.put(object);
  };
  for (const object of [...examples.filter(({ kind }) => kind !== "HostedCluster"), ...managed, ...windows])
    hub.put(object);
  putControlPlanes(Object.values(hosted), rules);
  for (const { cluster, pools } of Object.values(hosted)) {
    const history = [{ state: "Completed", version: "4.20.4" }];
    hub.put({ ...cluster, status: { version: { history } } });
    for (const pool of nodePools(cluster.metadata.name, "4.20.4", pools)) hub.put(pool);
  }
  await system.settle();

  passUntil(evening);
  const work = agentsOf(hub);
  const vran = `${hubRegistry}/apps/vran@sha256:${"7f83b165".repeat(8)}`;
  const upgrades = [
    ...upgradeTo("fleet-4-20-3", fleet, ["4.20.3", present], {
      "hubrelay.dev/max-per-site": "4",
      "hubrelay.dev/enable-after-precaching": new Date(at("04T01:30")).toISOString(),
    }),
    ...upgradeTo(
      "spring-4-20-4",
      namesAt("narvik"),
      ["4.20.4", next],
      { "hubrelay.dev/require-ready": "true" },
      [vran],
    ),
  ];
  for (const object of upgrades) hub.put(object);
  await system.settle();
  while (system.now().getTime() < shown) {
    const time = system.now().getTime();
    if (time === mirrorsChange) hub.put(edgeMirrors);
    if (time === mirrorsChange + 10 * minute)
      putControlPlanes([hosted.analytics, hosted.payments], [...rules, edgeMirrors]);
    work(system.works());
    await system.settleByTick(tickMinutes * 60);
  }
  return { hub: { ...hub, id: "https://api.hub.example.com:6443" }, now: system.now };
}
