import { expect, test } from "vitest";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { aFleet, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { aDigestMirrorSet, aPool } from "../../test/support/hub/objects.ts";
import { aManagedCluster } from "../../test/support/precache/precache-plan-objects.ts";
import { searchView } from "./search-view.ts";

const failed = { state: "UnrecoverableError", reason: "PullFailed", message: "" } as const;
const objects = [
  ...aFleet({ oslo1: failed, oslo2: {}, bergen1: failed }),
  ...["oslo1", "oslo2", "bergen1"].map((name) =>
    aManagedCluster(name, { labels: { site: name.replace(/\d/, "") } }),
  ),
  windowObject({}),
  aPool("worker"),
  aDigestMirrorSet("release", []),
];
const hitsOf = (find: string) => searchView(snapshotOf(objects), { find }).hits.map(({ to }) => to);

test.for([
  { find: " ", to: [] },
  { find: "NIGHT", to: ["/windows?window=fleet%2Fnight"] },
  { find: "worker", to: ["/mirrors?pool=worker"] },
  { find: "release", to: ["/mirrors?source=ImageDigestMirrorSet%2Frelease"] },
  {
    find: "oslo",
    to: [
      "/precaching?upgrade=default%2Fupgrade&site=oslo",
      "/precaching?upgrade=default%2Fupgrade&cluster=oslo1",
      "/precaching?upgrade=default%2Fupgrade&cluster=oslo2",
    ],
  },
  { find: "failed oslo", to: ["/precaching?upgrade=default%2Fupgrade&cluster=oslo1"] },
  { find: "__proto__", to: [] },
])("When the search is '$find', it should lead to $to", ({ find, to }) => {
  expect(hitsOf(find)).toEqual(to);
});

test("When there are many results, the first should be shown and all counted", () => {
  const records = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`sno${index}`, undefined]));
  const { hits, found } = searchView(snapshotOf(aFleet(records)), { find: "sno" });
  expect([hits.length, found]).toEqual([100, 150]);
});
