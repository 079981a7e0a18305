import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import type { ClusterRecord } from "#shared/domain/precache-model/cluster-record.ts";
import { aWaitingRecord } from "#shared/domain/precache-model/fixtures.ts";
import { plannedUpgrade } from "#shared/domain/precache-model/planned-upgrade.ts";
import { withSuspend } from "#shared/domain/precache-start/work/manifest-work.ts";
import { anUpgrade, overUpgrade, workFor } from "../../test/support/precache/precache-snapshots.ts";
import { start as now } from "../../test/support/precache/precache-system.ts";
import { clusterMessages } from "./cluster-messages.ts";

const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString().replace(".000Z", "Z");
const one = anUpgrade(["sno1"]);
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
  Readonly<{
    what: string;
    record: Partial<ClusterRecord>;
    works: readonly KubernetesObject[] | "unread";
    cgu?: KubernetesObject;
    named: boolean;
  }>
>([
  { what: "it has got a slot", record: claimed, works: [], named: true },
  { what: "it has got a slot, unread,", record: claimed, works: "unread", named: true },
  {
    what: "it has got a slot and its ManifestWork is there",
    record: claimed,
    works: [running],
    named: false,
  },
  { what: "its ManifestWork is still going", record: claimed, works: [going], named: false },
  {
    what: "it is to pause and its ManifestWork is still going",
    record: { ...active, suspend: true },
    works: [going],
    named: false,
  },
  {
    what: "a retry has got a slot and only the attempt before is there",
    record: { ...claimed, attempt: 2 },
    works: [running],
    named: true,
  },
  {
    what: "it has returned and has got a slot",
    record: { ...claimed, suspend: false },
    works: [suspended],
    named: true,
  },
  { what: "it pulls", record: active, works: [running], named: false },
  { what: "it is to pause", record: { ...active, suspend: true }, works: [running], named: true },
  { what: "it is to pause and does", record: { ...held, suspend: true }, works: [suspended], named: false },
  { what: "it is to pause and is gone", record: { ...held, suspend: true }, works: [], named: false },
  { what: "it may continue", record: { ...held, suspend: false }, works: [suspended], named: true },
  { what: "it may continue and does", record: { ...held, suspend: false }, works: [running], named: false },
  { what: "it waits", record: {}, works: [], named: false },
  { what: "it waits, unread,", record: {}, works: "unread", named: false },
  { what: "it has returned and its Job runs", record: returned, works: [running], named: true },
  { what: "it has returned and its Job is suspended", record: returned, works: [suspended], named: false },
  { what: "it has succeeded", record: succeeded, works: [running], named: true },
  { what: "it has succeeded, unread,", record: succeeded, works: "unread", named: true },
  { what: "it has succeeded and is being removed", record: succeeded, works: [going], named: false },
  { what: "it has succeeded and is removed", record: succeeded, works: [], named: false },
  {
    what: "it has succeeded in another attempt",
    record: { ...succeeded, attempt: 2 },
    works: [running],
    named: false,
  },
  { what: "it has failed", record: failed, works: [running], named: false },
  {
    what: "the hub's deadline has ended it",
    record: { state: "PrecacheTimeout", reason: "NoReport" },
    works: [running],
    named: true,
  },
  {
    what: "it has failed and the upgrade is over",
    record: failed,
    works: [running],
    cgu: overUpgrade(one),
    named: true,
  },
  {
    what: "it has failed and the upgrade that is over keeps its objects",
    record: failed,
    works: [running],
    cgu: overUpgrade(one, true),
    named: false,
  },
  {
    what: "it has a slot and the upgrade is over",
    record: claimed,
    works: [],
    cgu: overUpgrade(one),
    named: false,
  },
])("When $what, it should be named only for something to do", ({ record, works, cgu = one, named }) => {
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
