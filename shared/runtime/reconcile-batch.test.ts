import { describe, expect, test } from "vitest";
import { memoryHub } from "../adapters/hub/memory/memory-hub.ts";
import { type KubernetesObject, kinds } from "../domain/kubernetes/object.ts";
import { HubError } from "../ports/hub.ts";
import { ownWrites, sharedReads } from "./reconcile-batch.ts";

const cgu = {
  apiVersion: "ran.openshift.io/v1alpha1",
  kind: "ClusterGroupUpgrade",
  name: "upgrade",
  uid: "u1",
};
const written = { ...cgu, resourceVersion: "7" };

test.for([
  ["the update that was written", "update", written, true],
  ["a later version", "update", { ...written, resourceVersion: "8" }, false],
  ["an earlier version", "update", { ...written, resourceVersion: "6" }, false],
  ["a new object of that name", "update", { ...written, uid: "u2" }, false],
  ["a tick that names it as it is", "add", written, false],
  ["its end", "delete", written, false],
  ["a hint without a version", "update", cgu, false],
] as const)("When $0 is received, it should be an own write: $3", ([, verb, reference, isEcho]) => {
  const own = ownWrites();
  own.note({ ...written, resourceVersion: "6" });
  own.note(written);
  expect(own.isEcho({ verb, reference })).toBe(isEcho);
});

test("When thousands of objects are written, only the latest should be remembered", () => {
  const own = ownWrites();
  for (let index = 0; index < 5_000; index++) own.note({ ...written, uid: `u${index}` });
  const isEcho = (uid: string) => own.isEcho({ verb: "update", reference: { ...written, uid } });
  expect([isEcho("u0"), isEcho("u3999"), isEcho("u4000"), isEcho("u4999")]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

const { ImageDigestMirrorSet, Image } = kinds;

/** A hub whose reads end only when a test lets them. */
function aSlowHub() {
  const reads: { what: string; end(version: string): void; fail(): void }[] = [];
  const begin = (what: string) =>
    new Promise<KubernetesObject>((resolve, reject) => {
      reads.push({
        what,
        end: (name) => resolve({ apiVersion: "v1", kind: "Any", metadata: { name } }),
        fail: () => reject(new HubError("Unavailable", what)),
      });
    });
  const hub = sharedReads({
    ...memoryHub({ id: "urn:test:hub", now: () => new Date(0) }),
    get: (kind, name, namespace = "") => begin(`get ${kind.kind} ${namespace}/${name}`),
    list: async (kind, options) => [await begin(`list ${kind.kind} ${options?.namespace ?? ""}`)],
  });
  const version = async (read: Promise<readonly KubernetesObject[]>) => (await read)[0]?.metadata.name;
  return { hub, reads, version };
}

describe("reads of one hub by several reconciles", () => {
  test("When a read is under way, those that want the same should share the next one, never that one", async () => {
    const { hub, reads, version } = aSlowHub();
    const first = version(hub.list(ImageDigestMirrorSet));
    const late = [version(hub.list(ImageDigestMirrorSet)), version(hub.list(ImageDigestMirrorSet))];
    expect(reads).toHaveLength(1);
    reads[0]?.end("old");
    expect(await first).toBe("old");
    // What they have read before must not be newer than this.
    expect(reads).toHaveLength(2);
    reads[1]?.end("new");
    expect(await Promise.all(late)).toEqual(["new", "new"]);
    void hub.list(ImageDigestMirrorSet);
    expect(reads).toHaveLength(3);
  });

  test("When a read fails, those that share it should fail, and the next one be made", async () => {
    const { hub, reads } = aSlowHub();
    const first = hub.get(Image, "cluster");
    const second = hub.get(Image, "cluster");
    reads[0]?.fail();
    await expect(first).rejects.toThrow("get Image /cluster");
    expect(reads).toHaveLength(2);
    reads[1]?.end("cluster");
    expect(await second).toMatchObject({ metadata: { name: "cluster" } });
  });
});
