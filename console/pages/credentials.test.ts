import fc from "fast-check";
import { expect, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { verify } from "#shared/runtime/verify.ts";
import { now, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { leakFinder, type Planted, plantedManifests } from "../../test/support/messages/planted-manifests.ts";
import { pageText } from "./html.ts";
import { pageNames } from "./layout.ts";
import { renderPage } from "./render-page.ts";

const namesOf = ({ object: { metadata } }: Planted) => [metadata.namespace, metadata.name];

test("When objects of every kind contain credentials anywhere, no page should contain them", async () => {
  await fc.assert(
    fc.asyncProperty(plantedManifests(), async (manifests) => {
      // No API server has an object with such a name.
      const stored = manifests.filter((one) => leakFinder([one])(JSON.stringify(namesOf(one))).length === 0);
      const objects = stored.map(({ object }) => object);
      const verifications = await verify(
        manifestHub("urn:test:hub", objects),
        controllers,
        () => now,
        noExternalPorts,
      );
      const snapshot = snapshotOf(objects, { verifications });
      const leaksIn = leakFinder(stored);
      const queries = [
        {},
        ...objects.map(({ kind, metadata: { name } }) => ({ object: `${kind}/${name}`, pool: name })),
        ...objects.map(({ kind, metadata: { name, namespace = "" } }) => ({
          kind,
          object: name,
          cluster: name,
          upgrade: `${namespace}/${name}`,
          window: `${namespace}/${name}`,
        })),
      ];
      for (const { path } of pageNames)
        for (const query of queries)
          expect(leaksIn(pageText(renderPage(path, query, snapshot))), path).toEqual([]);
    }),
    { numRuns: 1, endOnFailure: true },
  );
});
