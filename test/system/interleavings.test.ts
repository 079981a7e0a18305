import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc, { type Scheduler } from "fast-check";
import { expect, test } from "vitest";
import { mirrorConfig } from "#functions/mirror-config/reaction.ts";
import { openDirectoryHub } from "#shared/adapters/directory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import { reconcile } from "#shared/shell/reconcile.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool } from "../support/objects.ts";

const now = () => new Date("2026-03-01T02:00:00Z");
const rule = (mirror: string) => [{ source: "quay.io/acme", mirrors: [mirror] }];

/** The hub with every request held until the scheduler lets it go: each request is one step of an interleaving. */
function stepped(hub: Hub, scheduler: Scheduler): Hub {
  return {
    ...hub,
    get: scheduler.scheduleFunction(hub.get),
    list: scheduler.scheduleFunction(hub.list),
    create: scheduler.scheduleFunction(hub.create),
    update: scheduler.scheduleFunction(hub.update),
    updateStatus: scheduler.scheduleFunction(hub.updateStatus),
    delete: scheduler.scheduleFunction(hub.delete),
  };
}

/** Reconciles as the queue makes it happen: a message whose reconcile lost every race is delivered again. */
async function deliver(hub: Hub): Promise<void> {
  const ports = { hub, outcomes: { publish: async () => undefined }, log: () => undefined, now };
  for (;;) {
    try {
      await reconcile(mirrorConfig, "cluster", ports);
      return;
    } catch (error) {
      if (!(error instanceof HubError && error.code === "Conflict")) throw error;
    }
  }
}

async function edit(hub: Hub, mirror: string): Promise<void> {
  const present = await hub.get(kinds.ImageDigestMirrorSet, "acme");
  if (!present) throw new Error("the mirror set of this test is gone");
  await hub.update({ ...present, spec: { imageDigestMirrors: rule(mirror) } });
}

test("When two or three reconciles race with edits, it should never leave an older answer behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hubrelay-interleavings-"));
  let run = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 3 }), async (scheduler, events) => {
        const hub = openDirectoryHub(join(folder, String(run++)));
        try {
          for (const object of [
            anImageConfig(),
            aClusterVersion(),
            aPool("worker"),
            aDigestMirrorSet("acme", rule("m0.example.com")),
          ])
            await hub.create({
              ...object,
              metadata: {
                name: object.metadata.name,
                ...(object.metadata.labels ? { labels: object.metadata.labels } : {}),
              },
            });
          const slow = stepped(hub, scheduler);
          const races = Array.from({ length: events }, async (_, index) => {
            await scheduler.schedule(Promise.resolve());
            await edit(hub, `m${index + 1}.example.com`);
            await deliver(slow);
          });
          await scheduler.waitFor(Promise.all(races));

          const plan = await mirrorConfig.plan(hub, "cluster", now());
          expect(plan.decisions).toMatchObject([{ verdict: "unchanged" }]);
        } finally {
          hub.close();
        }
      }),
      { numRuns: 1000 },
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}, 300_000);
