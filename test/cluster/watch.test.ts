import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type Kind, kinds } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import { asNew } from "../support/hub/create-object.ts";
import { aDigestMirrorSet, aTagMirrorSet } from "../support/hub/objects.ts";
import { watching } from "../support/hub/watching.ts";
import { startHub, type TestHub } from "./support/clusters/cluster.ts";
import { type Crd, installCrds, openshiftCrds, removeCrd } from "./support/manifests/crds.ts";

const rule = (mirror: string) => [{ source: "quay.io/acme", mirrors: [mirror] }];
const quick = { idleTimeoutMs: 1_500, absentKindMs: 200, retryMs: { first: 50, max: 400 } };

describe("a watch of a real API server", () => {
  let server: TestHub;
  let hub: KubernetesHub;
  const stop = new AbortController();

  beforeAll(async () => {
    server = await startHub();
    hub = kubernetesHub(server.admin.kubeConfig, { watch: quick });
  });
  afterAll(async () => {
    stop.abort();
    hub.close();
    await server.stop();
  });

  const watch = (kind: Kind) => watching(hub, kind, stop.signal, "own");

  test("When a kind is removed, it should report the deletion of its objects, and continue when it is installed again", async () => {
    const crd = await tagMirrorSets();
    const tagMirrorSet = asNew(aTagMirrorSet("own", rule("m1.example.com")));
    const name = "ImageTagMirrorSet/own";
    await hub.create(tagMirrorSet);
    const running = watch(kinds.ImageTagMirrorSet);
    await running.until("synced");
    await removeCrd(server.api, crd);
    await running.until(`delete ${name}`);
    expect(await hub.list(kinds.ImageTagMirrorSet)).toEqual([]);

    const late = watch(kinds.ImageTagMirrorSet);
    await late.until("synced");
    await installCrds(server.api, [crd]);
    await hub.create(tagMirrorSet);
    await Promise.all([running.until(`add ${name}`, 2), late.until(`add ${name}`)]);
    expect(late.seen).toEqual(["synced", `add ${name}`]);
  });

  async function tagMirrorSets(): Promise<Crd> {
    const crd = (await openshiftCrds()).find(({ plural }) => plural === "imagetagmirrorsets");
    if (!crd) throw new Error("there is no CRD of ImageTagMirrorSets");
    return crd;
  }

  const created = (name: string) => hub.create(asNew(aDigestMirrorSet(name, rule("m1.example.com"))));

  test("When the server starts, it should never seem empty: a list returns everything or fails", async () => {
    const [{ metadata }] = [await created("own-a"), await created("own-b")];
    const expected = (await hub.list(kinds.ImageDigestMirrorSet)).length;
    let isOver = false;
    const seen = { whole: 0, failed: 0 };
    const read = async () => {
      while (!isOver) {
        try {
          expect(await hub.list(kinds.ImageDigestMirrorSet)).toHaveLength(expected);
          expect(await hub.get(kinds.ImageDigestMirrorSet, metadata.name)).toBeDefined();
          seen.whole++;
        } catch (error) {
          if (!(error instanceof HubError && error.isRetryable)) throw error;
          seen.failed++;
          await sleep(2);
        }
      }
    };
    const reading = read();
    for (let round = 0; round < 4; round++) {
      await server.kill();
      await server.restart();
    }
    isOver = true;
    await reading;
    expect(seen.whole).toBeGreaterThan(4);
    expect(seen.failed).toBeGreaterThan(4);
  });
});
