import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { isKind, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { verify } from "#shared/runtime/verify.ts";
import { packageFile } from "../../cli/program/package-files.ts";
import { pageText } from "../../console/pages/html.ts";
import { pageNames } from "../../console/pages/layout.ts";
import { renderPage } from "../../console/pages/render-page.ts";
import { mutatedDocuments } from "../fuzz/mutated-manifests.ts";
import { aFleet, now, snapshotOf } from "../support/console/console-snapshots.ts";
import { aManagedCluster } from "../support/precache/precache-plan-objects.ts";

const examples = ["examples/hub", "examples/fleet"].flatMap((folder) =>
  readdirSync(packageFile(folder))
    .filter((file) => file.endsWith(".yaml"))
    .sort()
    .flatMap((file) => readManifests(readFileSync(join(packageFile(folder), file), "utf8"), file).objects)
    .map(({ object }) => object),
);
const underWay = aFleet(
  { sno1: { state: "Active" }, sno2: { state: "Succeeded" }, sno3: undefined },
  { annotations: { "hubrelay.dev/site-label": "site", "hubrelay.dev/bandwidth": "north=100" } },
);
const objects = [
  ...examples,
  ...underWay,
  aManagedCluster("sno1", { labels: { site: "north" } }),
  aManagedCluster("sno2", { labels: { site: "south" } }),
];

/** What a hub of these documents would hold. */
const stored = (documents: readonly unknown[]): readonly KubernetesObject[] =>
  documents.flatMap((one) =>
    readManifests(JSON.stringify(one) ?? "", "hub.json").objects.map(({ object }) => object),
  );

test("When any objects of a hub are hostile, every function should decide, and every page be shown", async () => {
  await fc.assert(
    fc.asyncProperty(mutatedDocuments(objects), async (documents) => {
      const found = stored(documents);
      const hub = manifestHub("hub", found);
      for (const { watches } of controllers)
        for (const object of found)
          for (const watch of watches.filter(({ kind }) => isKind(kind, object))) {
            watch.fingerprint?.(object);
            watch.refersTo?.(object, "update");
            await watch.mapToKeys(referenceTo(object), hub);
          }
      const verifications = await verify(hub, controllers, () => now, noExternalPorts);
      expect(verifications.length).toBeGreaterThan(0);
      const snapshot = snapshotOf(found, { verifications });
      for (const { path } of pageNames)
        for (const query of [{}, { upgrade: "default/upgrade", by: "site", cluster: "sno1" }])
          expect(pageText(renderPage(path, query, snapshot))).not.toBe("");
    }),
    { numRuns: 12 },
  );
});
