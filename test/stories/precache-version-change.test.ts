import { expect, test } from "vitest";
import { precacheCluster } from "#functions/precache-cluster/controller.ts";
import { precacheStatus } from "#functions/precache-status/controller.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { isSuspended, withSuspend } from "#shared/domain/precache-start/work/manifest-work.ts";
import { ended, running, suspended } from "../../cli/simulation/reported-status.ts";
import { aPlannedUpgrade, type PrecacheSystem, precacheSystem } from "../support/precache/precache-system.ts";

const clusters = ["claimed", "starting", "pulling", "paused", "unreached", "done", "waiting"];
const since = "2026-03-01T01:59:00Z";
const record = { message: "as the version before wrote it", attempt: 1, since };

/** What the version before wrote about each cluster: with the version of its ManifestWork, and without `suspend`. */
const recorded: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  claimed: { ...record, state: "PreparingToStart", reason: "Claimed", started: since },
  starting: { ...record, state: "Starting", reason: "WaitsForAgent", started: since, seen: "41" },
  pulling: { ...record, state: "Active", reason: "Pulling", started: since, seen: "42", imagesDone: 12 },
  paused: { ...record, state: "Starting", reason: "Suspended", seen: "43" },
  unreached: { ...record, state: "NotStarted", reason: "ClusterNotReached", seen: "44" },
  done: { ...record, state: "Succeeded", reason: "Completed", seen: "45" },
};
const states = {
  claimed: "PreparingToStart",
  starting: "Starting",
  pulling: "Active",
  paused: "Starting",
  done: "Succeeded",
};

/** Stops the version before in the middle of a night, with messages of its own in the queues. */
async function inTheMiddleOfANight(): Promise<PrecacheSystem> {
  const system = precacheSystem();
  system.plan(aPlannedUpgrade(clusters));
  await system.settle();
  const cgu = system.upgrade();
  const upgrade = cgu && plannedUpgrade(cgu);
  if (!cgu || !upgrade) throw new Error("no upgrade is planned");
  system.forward(false);
  for (const work of system.works()) {
    const cluster = work.metadata.namespace ?? "";
    const isHeld = cluster === "paused" || cluster === "unreached";
    const held = (isHeld && withSuspend(work, true)) || work;
    if (["claimed", "done", "waiting"].includes(cluster))
      await system.hub.delete({ ...work, ...work.metadata });
    else system.hub.put(held);
  }
  system.report(running(0.1), ["pulling"]);
  system.report(suspended, ["paused"]);
  const { precaching, ...status } = Object(cgu.status);
  system.hub.put({ ...cgu, status: { ...status, precaching: { ...precaching, status: states } } });
  for (const report of system.hub.all(kinds.PreCachingReport))
    system.hub.put({ ...report, lookAt: "2026-03-01T02:00:30.000Z", clusters: recorded });
  for (const queue of system.queues.values()) queue.length = 0;
  for (const jobs of system.jobs.keys()) if (["claimed", "waiting"].includes(jobs)) system.jobs.delete(jobs);

  const event = (data: unknown, id: string) =>
    JSON.stringify({
      specversion: "1.0",
      type: "dev.knative.apiserver.ref.update",
      source: "urn:test:hub",
      subject: "/apis/as/the/version/before",
      id,
      datacontenttype: "application/json",
      data,
    });
  const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
  for (const cluster of clusters)
    system.deliver(
      precacheCluster.queue,
      event({ apiVersion, kind, namespace: "default", name: "upgrade", cluster }, `u/7/update/${cluster}`),
    );
  for (const work of system.works()) {
    const { metadata, apiVersion: version, kind: of }: KubernetesObject = work;
    const run = { cgu: upgrade.name, revision: upgrade.revision, attempt: 1 };
    const feedback = { run, created: since, applied: "True", values: { complete: "True", succeeded: 1 } };
    const reference = { apiVersion: version, kind: of, namespace: metadata.namespace, name: metadata.name };
    system.deliver(
      precacheStatus.queue,
      event({ ...reference, resourceVersion: "99999", feedback }, `w/9/update/${metadata.namespace}`),
    );
  }
  system.deliver(
    precacheStatus.queue,
    event(
      { apiVersion, kind, namespace: "default", name: "upgrade", feedback: { wishes: true } },
      "u/8/update",
    ),
  );
  return system;
}

test("When hubrelay is upgraded in the middle of a night, it should believe no message of before and finish what was recorded", async () => {
  const system = await inTheMiddleOfANight();
  await system.settle();
  expect(system.states()).toMatchObject({ pulling: "Active", done: "Succeeded" });
  system.forward(true);
  for (let round = 0; round < 4; round++) {
    system.resync();
    await system.settle();
    for (const { metadata, ...work } of system.works())
      system.report(isSuspended({ metadata, ...work }) ? suspended : running(0.2), [
        metadata.namespace ?? "",
      ]);
    system.pass(31);
  }
  // Nothing restricts them: what was paused, or has waited, runs as well.
  expect([...system.mayRun()].sort()).toEqual(clusters.filter((cluster) => cluster !== "done").sort());
  system.report(ended("succeeds"));
  await system.settle();
  expect(system.condition()).toContain("PrecachingCompleted");
  for (const cluster of clusters) expect(system.jobs.get(cluster), cluster).toHaveLength(1);
  expect(system.works()).toEqual([]);
  expect(system.deadLetters).toEqual([]);
});
