import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  aStoredUpgrade,
  reportsFor,
  runOfUpgrade,
  workFor,
} from "../../test/support/precache/precache-snapshots.ts";
import {
  aSnapshot,
  deleting,
  one,
  pulling,
  workWith,
  written,
} from "../../test/support/precache/status-snapshots.ts";
import { decide } from "./decide.ts";

describe("works on the hub", () => {
  const earlier = aStoredUpgrade(["sno1"], { platformImage: "quay.io/other:1" });

  test("When the plan has other content, it should remove the works of the content before", () => {
    const { revision } = runOfUpgrade(one);
    const foreign = { ...workFor(earlier, "sno3"), metadata: { namespace: "sno3", name: "foreign" } };
    const old = workFor(earlier, "sno1");
    const works = [old, deleting(workFor(earlier, "sno2")), foreign, workWith(pulling)];
    expect(written(decide(aSnapshot(one, { works }))).filter((line) => line.startsWith("delete"))).toEqual([
      `delete ManifestWork sno1 ${old.metadata.name}: revision ${revision} replaces it`,
    ]);
  });

  test("When the work of an earlier attempt is there beside that of a retry, it should remove it", () => {
    const [first, retry] = [workFor(one, "sno1"), workFor(one, "sno1", 2)];
    const reports = reportsFor(one, { sno1: { state: "Active", reason: "Pulling", attempt: 2 } });
    const removals = (works: readonly KubernetesObject[]) =>
      written(decide(aSnapshot(one, { works, reports }))).filter((line) => line.startsWith("delete"));
    expect(removals([first, retry])).toEqual([
      `delete ManifestWork sno1 ${first.metadata.name}: a retry replaces it`,
    ]);
    expect(removals([first])).toEqual([]);
  });

  test("When the content of thousands is replaced, it should remove 500 at a time", () => {
    const works = Array.from({ length: 501 }, (_, index) => workFor(earlier, `sno${index}`));
    const { actions } = decide(aSnapshot(one, { works }));
    expect(actions.filter(({ verb }) => verb === "delete")).toHaveLength(500);
  });
});
