import { expect, test } from "vitest";
import { eventLabels } from "#functions/hosted-clusters/well-known-names.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { hypershiftFinalizer } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { release } from "../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
import { aNodePool } from "../../test/support/hosted-clusters/node-pools.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";
import { pageText } from "./html.ts";
import { renderPage } from "./render-page.ts";

const key = "clusters/shop";
const cluster = aHostedCluster({
  metadata: {
    uid: "a",
    finalizers: [hypershiftFinalizer],
    annotations: { "hubrelay.dev/image-content-sources": "release" },
  },
});
const pool = aNodePool("blue", { clusterName: "shop", replicas: 3 });
const reason = "The change costs replace. Set the annotation to let it go ahead.";
const event = {
  ...{ apiVersion: "v1", kind: kinds.Event.kind, type: "Normal", reason: "ChangeWaitsForWindow" },
  metadata: { name: "held", namespace: "clusters", labels: eventLabels(key) },
  message: reason,
  firstTimestamp: "2026-03-01T02:00:00Z",
};

test("When a change is held, its panel should tell it once, with the remedy and since when", () => {
  const decisions = [
    { subject: `${key} ImageContentSources`, verdict: "held", reason, differences: ["A mirror is added."] },
    { subject: `${key} ControlPlane`, verdict: "in agreement", reason: "as it should be" },
  ];
  const of = { function: "hosted-clusters", key, writes: [], issues: [], differs: true };
  const snapshot = snapshotOf([cluster, pool, event, aDigestMirrorSet("ocp", [release])], {
    verifications: [{ ...of, decisions }],
  });
  const text = pageText(renderPage("/hosted", { cluster: key }, snapshot));
  const panel = text.slice(text.indexOf('id="panel"'));
  expect(panel.split("Set the annotation to let it go ahead.")).toHaveLength(2);
  expect(panel).toMatch(/Held change.*costs replace.*since.*2026-03-01T02:00:00Z/s);
  expect(panel).toContain("as it should be");
  expect(panel).not.toContain("ChangeWaitsForWindow");
});
