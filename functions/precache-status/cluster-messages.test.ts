import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { aWaitingRecord } from "#shared/domain/precache-model/fixtures.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { withSuspend } from "#shared/domain/precache-start/work/manifest-work.ts";
import { aStoredUpgrade, overUpgrade, workFor } from "../../test/support/precache/precache-snapshots.ts";
import { start as now } from "../../test/support/precache/precache-system.ts";
import { clusterMessages } from "./cluster-messages.ts";

const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString().replace(".000Z", "Z");
const one = aStoredUpgrade(["sno1"]);
const running = workFor(one, "sno1");
const suspended = withSuspend(running, true) ?? running;
const going = {
  ...running,
  metadata: Object.assign({ deletionTimestamp: "2026-03-01T02:00:00Z" }, running.metadata),
};

/** The messages about sno1 with this record. */
function messagesFor(
  fields: Partial<ClusterRecord>,
  {
    works = [],
    hasChanged = true,
    cgu = one,
  }: Readonly<{
    works?: readonly KubernetesObject[] | "unread";
    hasChanged?: boolean;
    cgu?: KubernetesObject;
  }>,
) {
  const upgrade = plannedUpgrade(cgu);
  if (!upgrade) throw new Error("the upgrade is not planned");
  const record = aWaitingRecord({ since: ago(0), ...fields });
  const after = new Map([["sno1", record]]);
  const before = new Map(hasChanged ? [] : [["sno1", record] as const]);
  const worksOf = () => (works === "unread" ? undefined : works);
  return clusterMessages(upgrade, { before, after }, worksOf, { now, hubId: "urn:test:hub" });
}
const isNamed = (...given: Parameters<typeof messagesFor>) => messagesFor(...given).length > 0;

const claimed = { state: "PreparingToStart", reason: "Claimed" } as const;
const active = { state: "Active", reason: "Pulling" } as const;
const succeeded = { state: "Succeeded", reason: "Completed" } as const;
const failed = { state: "UnrecoverableError", reason: "PullFailed" } as const;
const held = { state: "Starting", reason: "Suspended" } as const;
const returned = { reason: "Returned", suspend: true } as const;

test.for<
  readonly [
    what: string,
    record: Partial<ClusterRecord>,
    works: readonly KubernetesObject[] | "unread",
    named: boolean,
    cgu?: KubernetesObject | undefined,
  ]
>([
  ["it has got a slot", claimed, [], true],
  ["it has got a slot, unread,", claimed, "unread", true],
  ["it has got a slot and its ManifestWork is there", claimed, [running], false],
  ["its ManifestWork is still going", claimed, [going], false],
  ["it is to pause and its ManifestWork is still going", { ...active, suspend: true }, [going], false],
  [
    "a retry has got a slot and only the attempt before is there",
    { ...claimed, attempt: 2 },
    [running],
    true,
  ],
  ["it has returned and has got a slot", { ...claimed, suspend: false }, [suspended], true],
  ["it pulls", active, [running], false],
  ["it is to pause", { ...active, suspend: true }, [running], true],
  ["it is to pause and does", { ...held, suspend: true }, [suspended], false],
  ["it is to pause and is gone", { ...held, suspend: true }, [], false],
  ["it may continue", { ...held, suspend: false }, [suspended], true],
  ["it may continue and does", { ...held, suspend: false }, [running], false],
  ["it waits", {}, [], false],
  ["it waits, unread,", {}, "unread", false],
  ["it has returned and its Job runs", returned, [running], true],
  ["it has returned and its Job is suspended", returned, [suspended], false],
  ["it has succeeded", succeeded, [running], true],
  ["it has succeeded, unread,", succeeded, "unread", true],
  ["it has succeeded and is being removed", succeeded, [going], false],
  ["it has succeeded and is removed", succeeded, [], false],
  ["it has succeeded in another attempt", { ...succeeded, attempt: 2 }, [running], false],
  ["it has failed", failed, [running], false],
  ["the hub's deadline has ended it", { state: "PrecacheTimeout", reason: "NoReport" }, [running], true],
  ["it has failed and the upgrade is over", failed, [running], true, overUpgrade(one)],
  [
    "it has failed and the upgrade that is over keeps its objects",
    failed,
    [running],
    false,
    overUpgrade(one, true),
  ],
  ["it has a slot and the upgrade is over", claimed, [], false, overUpgrade(one)],
])("When $0, it should be named only for something to do", ([, record, works, named, cgu = one]) => {
  expect(isNamed(record, { works, cgu })).toBe(named);
});

test.for([
  ["of half a minute ago", 30, [], true],
  ["that is younger", 29, [], false],
  ["of a minute ago has had its effect", 60, [running], false],
  ["of a minute ago was not read about", 60, "unread", false],
] as const)("When a message %s, it should be sent again only if it was lost", ([, seconds, works, named]) => {
  const record = { ...claimed, since: ago(seconds) };
  expect(isNamed(record, { works, hasChanged: false })).toBe(named);
});

test("When clusters have something to do, one message each should name upgrade and cluster, and no more", () => {
  expect(messagesFor(claimed, {})).toMatchObject([
    {
      queue: "precache-clusters",
      reason: "1 cluster has something to do",
      events: [
        {
          source: "urn:test:hub",
          subject: "/apis/cluster.open-cluster-management.io/v1/managedclusters/sno1",
          data: { kind: "ClusterGroupUpgrade", namespace: "default", name: "upgrade", cluster: "sno1" },
        },
      ],
    },
  ]);
  const [send] = messagesFor(claimed, {});
  expect(Object.keys(send?.events[0]?.data ?? {}).sort()).toEqual([
    "apiVersion",
    "cluster",
    "kind",
    "name",
    "namespace",
  ]);
  expect(send).not.toHaveProperty("delaySeconds");
});
