import { describe, expect, test } from "vitest";
import type { ClusterRecord } from "../../precache-model/cluster-record.ts";
import { freeBytesAnnotation } from "./cluster-sizes.ts";
import { aCluster, aPlan, aRecord, gib, sizes } from "./fixtures.ts";
import { sizeIssues } from "./size-issues.ts";

describe("whether it fits", () => {
  const full = aRecord({ state: "UnrecoverableError", reason: "NoSpace", message: "3.0 GiB are left" });

  test.for<{
    what: string;
    /** By the annotation. */
    free?: string;
    /** By the cluster's latest run. */
    reported?: number;
    disk?: string;
    record?: ClusterRecord;
    spaceRequired?: string;
    room: string;
    reason: string;
  }>([
    { what: "nothing reports it", room: "unknown", reason: "The free space on the cluster is unknown." },
    {
      what: "the annotation is not a number",
      free: "much",
      room: "unknown",
      reason: "The free space on the cluster is unknown.",
    },
    {
      what: "the disk is large enough, but nothing reports what is free",
      disk: "30Gi",
      room: "unknown",
      reason: "Its disk has 30.0 GiB in all; the free space on the cluster is unknown.",
    },
    {
      what: "the whole disk is too small",
      disk: "30719Mi",
      room: "too small",
      reason: "Its disk has 30.0 GiB in all, 30.0 GiB are needed.",
    },
    {
      what: "a run has reported that there is enough",
      reported: 30 * gib,
      disk: "1Gi",
      room: "fits",
      reason: "30.0 GiB are free, 30.0 GiB are needed.",
    },
    {
      what: "a run has reported that there is not enough",
      reported: 29 * gib,
      room: "too small",
      reason: "29.0 GiB are free, 30.0 GiB are needed.",
    },
    {
      what: "an annotation differs from what a run has reported",
      free: String(40 * gib),
      reported: 29 * gib,
      room: "fits",
      reason: "40.0 GiB are free, 30.0 GiB are needed.",
    },
    {
      what: "what is requested is free",
      free: String(30 * gib),
      room: "fits",
      reason: "30.0 GiB are free, 30.0 GiB are needed.",
    },
    {
      what: "a byte less is free",
      free: String(30 * gib - 1),
      room: "too small",
      reason: "30.0 GiB are free, 30.0 GiB are needed.",
    },
    {
      what: "the images are more than was requested",
      free: String(19 * gib),
      spaceRequired: "10",
      room: "too small",
      reason: "19.0 GiB are free, 20.0 GiB are needed.",
    },
    {
      what: "a part lies there already",
      free: String(25 * gib),
      record: aRecord({ bytesDone: 5 * gib }),
      room: "fits",
      reason: "25.0 GiB are free, 25.0 GiB are needed.",
    },
    {
      what: "the cluster has refused",
      free: String(99 * gib),
      record: full,
      room: "too small",
      reason: "The cluster reported no room: 3.0 GiB are left",
    },
    {
      what: "everything is there",
      free: "0",
      record: aRecord({ state: "Succeeded" }),
      room: "fits",
      reason: "Every image is on the cluster.",
    },
  ])(
    "When $what, it should say $room",
    ({ free, reported, disk, record, spaceRequired = "30", room, reason }) => {
      const cluster = aCluster("sno1", {}, free === undefined ? {} : { [freeBytesAnnotation]: free });
      const status = disk === undefined ? {} : { capacity: { cpu: "8", "ephemeral-storage": disk } };
      const [found] = sizes({
        managedClusters: [{ ...cluster, status }],
        records: new Map(record ? [["sno1", record]] : []),
        freeBytes: new Map(reported === undefined ? [] : [["sno1", reported]]),
        plan: aPlan(["sno1"], spaceRequired),
      }).clusters;
      expect([found?.room, found?.reason]).toEqual([room, reason]);
    },
  );

  test.for([
    { spaceRequired: "30", free: 40, codes: [] },
    { spaceRequired: "20", free: 40, codes: [] },
    { spaceRequired: "19", free: 40, codes: ["SpaceRequiredTooSmall"] },
    { spaceRequired: "30", free: 29, codes: ["NoRoom"] },
    { spaceRequired: "19", free: 19, codes: ["SpaceRequiredTooSmall", "NoRoom"] },
  ])(
    "When $spaceRequired GiB are required and $free are free for 20, $codes should be reported",
    ({ spaceRequired, free, codes }) => {
      const managedClusters = [aCluster("sno1", {}, { [freeBytesAnnotation]: String(free * gib) })];
      const plan = aPlan(["sno1"], spaceRequired);
      const cgu = { apiVersion: "a/v1", kind: "ClusterGroupUpgrade", metadata: { name: "upgrade" } };
      const issues = sizeIssues(cgu, plan.spec, sizes({ managedClusters, plan }));
      expect(issues.map(({ code }) => code)).toEqual(codes);
      expect(issues.every(({ severity }) => severity === "warning")).toBe(true);
    },
  );
});
