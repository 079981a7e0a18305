import fc from "fast-check";
import { expect, test } from "vitest";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { type Kind, type KubernetesObject, kinds, referenceTo } from "#shared/domain/kubernetes/object.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";

const { Event, MachineConfigPool, MaintenanceWindow } = kinds;
const unknownKind: Kind = {
  apiVersion: "contract.hubrelay.dev/v9",
  kind: "Gadget",
  plural: "gadgets",
  namespaced: false,
};

/** One request; those that change an object start from one that the hub has returned before, present or outdated. */
type Request = Readonly<{
  verb: "create" | "update" | "updateStatus" | "delete" | "get" | "list";
  kind: Kind;
  name: string;
  namespace: string | undefined;
  earlier: number;
  metadata: object;
  spec: unknown;
  status: unknown;
}>;

const requests: fc.Arbitrary<readonly Request[]> = fc.array(
  fc.record({
    verb: fc.constantFrom("create", "create", "update", "update", "updateStatus", "delete", "get", "list"),
    kind: fc.constantFrom(MachineConfigPool, MachineConfigPool, MaintenanceWindow, Event, unknownKind),
    name: fc.constantFrom("a", "a", "b", "No."),
    namespace: fc.constantFrom("default", "default", "other", "", undefined),
    earlier: fc.nat({ max: 5 }),
    metadata: fc.constantFrom(
      {},
      {},
      { labels: {} },
      { labels: { tier: "gold" }, annotations: undefined },
      { finalizers: ["hubrelay.dev/contract"] },
      { finalizers: [] },
      { uid: "5f1c8c2e-1a57-4d62-9f0a-2f0b6a0c9c55" },
      { uid: undefined },
      { resourceVersion: undefined },
      { resourceVersion: "4711" },
      { generation: 9 },
    ),
    spec: fc.constantFrom(
      undefined,
      {},
      { paused: true },
      { paused: true, note: undefined },
      { list: [1, {}] },
    ),
    status: fc.constantFrom(undefined, {}, { count: 1 }, { count: 1, note: undefined }),
  }),
  { minLength: 10, maxLength: 40 },
);

/** Sends requests to a hub, and returns each result as text, with uids and versions numbered from the first, and without times. */
async function resultsOf(hub: Hub, sent: readonly Request[]): Promise<readonly string[]> {
  const returned: KubernetesObject[] = [];
  const uids: string[] = [];
  let first: number | undefined;
  const readable = (result: unknown) =>
    JSON.stringify(result ?? null)
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uid) => {
        if (!uids.includes(uid)) uids.push(uid);
        return `uid ${uids.indexOf(uid)}`;
      })
      .replace(/"resourceVersion":"(\d+)"/g, (_, version) => {
        first ??= Number(version);
        return `version ${Number(version) - first}`;
      })
      .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "time");

  async function write({ verb, kind, earlier, ...request }: Request): Promise<KubernetesObject | undefined> {
    const { apiVersion } = kind;
    const { name, namespace, metadata, spec, status } = request;
    const another = {
      apiVersion,
      kind: kind.kind,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    };
    const before = (verb !== "create" && returned.at(-1 - earlier)) || another;
    const object = { ...before, metadata: { ...before.metadata, ...metadata }, spec, status };
    if (verb === "create") return hub.create(object);
    if (verb === "update") return hub.update(object);
    if (verb === "updateStatus") return hub.updateStatus(object);
    await hub.delete(referenceTo(object));
    return undefined;
  }

  async function resultOf(request: Request): Promise<string> {
    const { verb, kind, name, namespace } = request;
    try {
      if (verb === "get") return readable(await hub.get(kind, name, namespace));
      if (verb === "list")
        return readable(await hub.list(kind, namespace === undefined ? {} : { namespace }));
      const written = await write(request);
      if (written) returned.push(written);
      return readable(written);
    } catch (error) {
      if (error instanceof HubError) return `${error.code} ${readable(error.message)}`;
      throw error;
    }
  }

  const results: string[] = [];
  for (const request of sent) results.push(`${request.verb}: ${await resultOf(request)}`);
  return results;
}

test("When any requests are sent, the memory hub should return what the directory hub returns, refusals included", async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (sent) => {
      const hub = openDirectoryHub(await temporaryFolder());
      try {
        const expected = await resultsOf(hub, sent);
        expect(await resultsOf(memoryHub({ id: hub.id, now: () => new Date() }), sent)).toEqual(expected);
      } finally {
        hub.close();
      }
    }),
    { numRuns: 30 },
  );
});
