import fc from "fast-check";
import { expect, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { manifestHub } from "#shared/adapters/hub/manifest-hub.ts";
import { redactTexts } from "#shared/domain/text/redact.ts";
import { noExternalPorts } from "#shared/ports/external-ports.ts";
import { verify } from "#shared/runtime/verify.ts";
import { now, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { leakFinder, type Planted, plantedManifests } from "../../test/support/messages/planted-manifests.ts";
import type { Query, Snapshot } from "../model/snapshot.ts";
import { pageText } from "./html.ts";
import { type PagePath, pageNames } from "./layout.ts";
import { renderPage } from "./render-page.ts";

const namesOf = ({ object: { metadata } }: Planted) => [metadata.namespace, metadata.name];

/** Yields each page once: queries that have the same in all that a page reads of them give the same page. */
function* differentPages(path: PagePath, queries: readonly Query[], snapshot: Snapshot): Generator<string> {
  const reads: ReadonlyMap<PropertyKey, unknown>[] = [];
  for (const query of queries) {
    if (reads.some((known) => [...known].every(([name, value]) => Reflect.get(query, name) === value)))
      continue;
    const read = new Map<PropertyKey, unknown>();
    const watched = new Proxy(query, {
      get(target, name) {
        read.set(name, Reflect.get(target, name));
        return Reflect.get(target, name);
      },
      ownKeys() {
        throw new Error(`${path} reads all names of a query`);
      },
    });
    yield pageText(renderPage(path, watched, snapshot));
    reads.push(read);
  }
}

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
      // Links have what `address` writes of a query.
      const queries: readonly Query[] = redactTexts([
        {},
        ...objects.map(({ kind, metadata: { name } }) => ({ object: `${kind}/${name}`, pool: name })),
        ...objects.map(({ kind, metadata: { name, namespace = "" } }) => ({
          kind,
          object: name,
          cluster: name,
          upgrade: `${namespace}/${name}`,
          window: `${namespace}/${name}`,
        })),
      ]);
      for (const { path } of pageNames)
        for (const page of differentPages(path, queries, snapshot)) expect(leaksIn(page), path).toEqual([]);
    }),
    { numRuns: 1, endOnFailure: true },
  );
});
