import { expect, test } from "vitest";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { clusterReference } from "#shared/domain/precache-model/cluster-event.ts";
import { aCheckRun, aWork, reported } from "../../test/support/precache/precache-objects.ts";
import { endOf } from "./watches.ts";

const waiting = aWork("sno1");
const pulling = reported(waiting, { job: { active: 1 } });
const ended = reported(waiting, { job: { complete: "True" } });
const failed = reported(waiting, { job: { failedStatus: "True" } });
const going = (work: KubernetesObject): KubernetesObject => ({
  ...work,
  metadata: Object.assign({ deletionTimestamp: "2026-03-01T02:00:00Z" }, work.metadata),
});
const check = aWork("sno1", aCheckRun);
const foreign = { ...ended, metadata: { namespace: "sno1", name: "foreign" } };

test.for([
  ["waits for its agent", waiting, "add", false],
  ["pulls", pulling, "update", false],
  ["has succeeded", ended, "update", true],
  ["has failed", failed, "update", true],
  ["had ended when the watch began", ended, "add", true],
  ["is going before its end", going(pulling), "update", true],
  ["is gone before its end", pulling, "delete", true],
  ["has ended and is being removed", going(ended), "update", false],
  ["has ended and is removed", ended, "delete", false],
  ["is a check that waits", check, "add", false],
  ["is a check that has ended", reported(check, { job: { complete: "True" } }, aCheckRun), "update", true],
  ["is a check that is gone before its end", check, "delete", true],
  ["is not pre-caching", foreign, "update", false],
] as const)(
  "When a ManifestWork %s, its upgrade should be reconciled only for ends",
  ([, work, verb, isEnd]) => {
    expect(endOf(work, verb)).toEqual(
      isEnd ? clusterReference({ namespace: "default", name: "upgrade" }, "sno1") : undefined,
    );
  },
);

test.for([waiting, pulling, ended, check])(
  "When a ManifestWork exists, its upgrade should be reconciled: it may be gone",
  (work) => {
    const { apiVersion, kind } = kinds.ClusterGroupUpgrade;
    expect(endOf(work)).toEqual({ apiVersion, kind, namespace: "default", name: "upgrade" });
    expect(endOf(foreign)).toBeUndefined();
  },
);
