import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { WatchError } from "#shared/adapters/hub/kubernetes/kind-watch.ts";
import {
  type KubernetesHub,
  type KubernetesHubOptions,
  kubernetesHub,
} from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { type Kind, type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";
import { asNew } from "../support/hub/create-object.ts";
import { aDigestMirrorSet, aTagMirrorSet } from "../support/hub/objects.ts";
import { type Watching, watching } from "../support/hub/watching.ts";
import { openWire, type Wire } from "../support/servers/wire.ts";
import { startHub, type TestHub } from "./support/clusters/cluster.ts";
import { type Crd, installCrds, openshiftCrds, removeCrd } from "./support/manifests/crds.ts";
import { readAuditLog } from "./support/observe/audit-log.ts";

const rule = (mirror: string) => [{ source: "quay.io/acme", mirrors: [mirror] }];
const quick = { idleTimeoutMs: 1_500, absentKindMs: 200, retryMs: { first: 50, max: 400 } };

/** Changes of objects while no watch is open. */
type Changes = Readonly<{ update: KubernetesObject; remove: KubernetesObject; create: KubernetesObject }>;

describe("a watch of a real API server", () => {
  let server: TestHub;
  /** Directly to the server. */
  let direct: KubernetesHub;
  let wire: Wire;
  /** Through the wire. */
  let hub: KubernetesHub;
  let errors: WatchError[];
  let stop: AbortController;
  let mine: string;
  let runs = 0;

  beforeAll(async () => {
    server = await startHub();
    direct = kubernetesHub(server.admin.kubeConfig);
  });
  afterAll(async () => {
    direct.close();
    await server.stop();
  });
  beforeEach(async () => {
    mine = `w${++runs}`;
    errors = [];
    stop = new AbortController();
    wire = await openWire(Number(new URL(server.server).port));
    const { kubeConfig } = await server.userAccess(mine, { token: server.admin.token }, wire.port);
    const options: KubernetesHubOptions = {
      userAgent: mine,
      requestTimeoutMs: 3_000,
      watch: quick,
      onWatchError: (error) => errors.push(error),
    };
    hub = kubernetesHub(kubeConfig, options);
  });
  afterEach(async () => {
    stop.abort();
    hub.close();
    await wire[Symbol.asyncDispose]();
  });

  const created = (suffix: string) =>
    direct.create(asNew(aDigestMirrorSet(`${mine}-${suffix}`, rule("m1.example.com"))));
  const change = (object: KubernetesObject) =>
    direct.update({ ...object, spec: { imageDigestMirrors: rule("m2.example.com") } });
  const watch = (...watched: Kind[]) => watching(hub, watched, stop.signal, mine);
  const requests = async (verb: string) =>
    (await readAuditLog(server.auditLog)).filter(
      (event) => event.userAgent === mine && event.verb === verb && event.status !== 0,
    );

  /** A watch that has reported two objects. */
  async function watchOfTwo(): Promise<
    Readonly<{ running: Watching; a: KubernetesObject; b: KubernetesObject }>
  > {
    const [a, b] = [await created("a"), await created("b")];
    const running = watch(kinds.ImageDigestMirrorSet);
    await running.until("synced");
    return { running, a, b };
  }

  async function changeUnseen({ update, remove, create }: Changes): Promise<void> {
    await change(update);
    await direct.delete(referenceTo(remove));
    await direct.create(create);
  }

  const changeText = (suffix: string, verb: string) => `${verb} ImageDigestMirrorSet/${mine}-${suffix}`;

  test("When the connection breaks, it should resume from the version that it had", async () => {
    const { running, a, b } = await watchOfTwo();
    wire.cut();
    await changeUnseen({
      update: a,
      remove: b,
      create: asNew(aDigestMirrorSet(`${mine}-c`, rule("m1.example.com"))),
    });
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    wire.restore();
    await running.until(changeText("c", "add"));
    expect(running.seen.slice(3)).toEqual([
      changeText("a", "update"),
      changeText("b", "delete"),
      changeText("c", "add"),
    ]);
    expect(errors[0]?.error.code).toBe("Unavailable");
    expect(await requests("list")).toHaveLength(1);
  });

  test("When the server no longer has that version, it should list again and report the difference", async () => {
    const { running, a, b } = await watchOfTwo();
    await created("same");
    await running.until(changeText("same", "add"));
    wire.cut();
    await changeUnseen({
      update: a,
      remove: b,
      create: asNew(aDigestMirrorSet(`${mine}-c`, rule("m1.example.com"))),
    });
    await server.restart(); // its cache of changes begins now
    wire.restore();
    await running.until(changeText("b", "delete"));
    expect(running.seen.slice(4).sort()).toEqual([
      changeText("c", "add"),
      changeText("b", "delete"),
      changeText("a", "update"),
    ]);
    const gone = running.changes.find(({ verb }) => verb === "delete");
    expect(gone).toMatchObject({ object: { metadata: { uid: b.metadata.uid } } });
    expect((await requests("list")).filter(({ status }) => status === 200)).toHaveLength(2);
  });

  test("When a kind is removed, it should report the deletion of its objects, and continue when it is installed again", async () => {
    const crd = await tagMirrorSets();
    const tagMirrorSet = asNew(aTagMirrorSet(mine, rule("m1.example.com")));
    const name = `ImageTagMirrorSet/${mine}`;
    await direct.create(tagMirrorSet);
    const running = watch(kinds.ImageTagMirrorSet, kinds.ImageDigestMirrorSet);
    await running.until("synced");
    await removeCrd(server.api, crd);
    await running.until(`delete ${name}`);
    expect(await direct.list(kinds.ImageTagMirrorSet)).toEqual([]);

    const late = watch(kinds.ImageTagMirrorSet);
    await late.until("synced");
    await installCrds(server.api, [crd]);
    await direct.create(tagMirrorSet);
    await Promise.all([running.until(`add ${name}`, 2), late.until(`add ${name}`)]);
    expect(late.seen).toEqual(["synced", `add ${name}`]);
  });

  async function tagMirrorSets(): Promise<Crd> {
    const crd = (await openshiftCrds()).find(({ plural }) => plural === "imagetagmirrorsets");
    if (!crd) throw new Error("there is no CRD of ImageTagMirrorSets");
    return crd;
  }

  test("When the server starts, it should never seem empty: a list returns everything or fails", async () => {
    const { a } = await watchOfTwo();
    const expected = (await direct.list(kinds.ImageDigestMirrorSet)).length;
    let isOver = false;
    const seen = { whole: 0, failed: 0 };
    const read = async () => {
      while (!isOver) {
        try {
          expect(await direct.list(kinds.ImageDigestMirrorSet)).toHaveLength(expected);
          expect(await direct.get(kinds.ImageDigestMirrorSet, a.metadata.name)).toBeDefined();
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
