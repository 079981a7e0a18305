import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Watching, watching } from "../../../../test/support/hub/watching.ts";
import {
  kubeConfigFor,
  respondStatus,
  type ScriptedApi,
  scriptedApi,
} from "../../../../test/support/servers/scripted-api.ts";
import {
  anImage,
  line,
  listOf,
  quiet,
  refused,
  type WatchResponder,
  watchOf,
} from "../../../../test/support/servers/scripted-watch.ts";
import { type KubernetesObject, kinds } from "../../../domain/kubernetes/object.ts";
import { knownObjects, type WatchError } from "./kind-watch.ts";
import { type KubernetesHubOptions, kubernetesHub } from "./kubernetes-hub.ts";

/** One response for each list, and for each watch, in order; the last one for all further requests. */
type Script = Readonly<{ lists: readonly WatchResponder[]; watches: readonly WatchResponder[] }>;

type System = Readonly<{
  api: ScriptedApi;
  running: Watching;
  errors: readonly WatchError[];
  stop(): void;
}>;

const quick = {
  idleTimeoutMs: 5_000,
  absentKindMs: 10,
  retryMs: { first: 5, max: 20 },
  maxRetryAfterMs: 2_000,
};

async function aWatch({ lists, watches }: Script, options: KubernetesHubOptions = {}): Promise<System> {
  const given = { lists: 0, watches: 0 };
  const api = await scriptedApi((call, response) => {
    const [responses, which] = call.query.watch
      ? ([watches, "watches"] as const)
      : ([lists, "lists"] as const);
    responses[Math.min(given[which]++, responses.length - 1)]?.(call, response);
  });
  const errors: WatchError[] = [];
  const stop = new AbortController();
  const hub = kubernetesHub(kubeConfigFor(api.url), {
    watch: quick,
    onWatchError: (error) => errors.push(error),
    ...options,
  });
  const running = watching(hub, kinds.Image, stop.signal, "");
  onTestFinished(async () => {
    stop.abort();
    await running.ended;
    hub.close();
  });
  return { api, running, errors, stop: () => stop.abort() };
}

const queriesOf = ({ calls }: ScriptedApi, isWatch: boolean) =>
  calls.map(({ query }) => query).filter((query) => Boolean(query.watch) === isWatch);
const versionsOf = (api: ScriptedApi) => queriesOf(api, true).map(({ resourceVersion }) => resourceVersion);

describe("the position of a watch", () => {
  test("When it begins, it should start from the list's version and request bookmarks", async () => {
    const { api, running } = await aWatch({ lists: [listOf("7", anImage("a", "5"))], watches: [quiet] });
    await running.until("synced");
    await expect.poll(() => queriesOf(api, true)).toHaveLength(1);
    expect(queriesOf(api, true)[0]).toMatchObject({ resourceVersion: "7", allowWatchBookmarks: "true" });
    const seconds = Number(queriesOf(api, true)[0]?.timeoutSeconds);
    expect(seconds).toBeGreaterThanOrEqual(300);
    expect(seconds).toBeLessThanOrEqual(600);
  });

  test("When the server ends it, it should resume from the last change or bookmark, without a list", async () => {
    const { api, running } = await aWatch({
      lists: [listOf("7")],
      watches: [
        watchOf([line("ADDED", anImage("a", "8"))], "ended"),
        watchOf([line("BOOKMARK", { kind: "Image", metadata: { resourceVersion: "12" } })], "ended"),
        watchOf([line("MODIFIED", anImage("a", "13"))]),
      ],
    });
    await running.until("update Image/a");
    expect(versionsOf(api)).toEqual(["7", "8", "12"]);
    expect(queriesOf(api, false)).toHaveLength(1);
    expect(running.seen).toEqual(["synced", "add Image/a", "update Image/a"]);
  });
});

describe("a failing watch", () => {
  test.for([
    ["the server is overloaded", refused(429, "TooManyRequests"), "TooManyRequests"],
    ["the server fails", refused(500, "InternalError"), "InternalError"],
    ["watching is not allowed", refused(403, "Forbidden"), "Forbidden"],
    ["the server breaks off", watchOf([line("ERROR", { kind: "Status", code: 500 })]), "InternalError"],
    ["a line is not an event", watchOf(["<html>\n"]), "Unavailable"],
    ["an event has no object", watchOf([line("ADDED", {})]), "Unavailable"],
    ["an event is of an unknown type", watchOf([line("EATEN", anImage("a", "1"))]), "Unavailable"],
  ] as const)(
    "When $0, it should report the error and resume from where it was",
    async ([, failure, code]) => {
      const { running, errors, api } = await aWatch({
        lists: [listOf("7")],
        watches: [failure, failure, watchOf([line("ADDED", anImage("a", "8"))])],
      });
      await running.until("add Image/a");
      expect(errors.map(({ error }) => error.code)).toEqual([code, code]);
      expect(versionsOf(api)).toEqual(["7", "7", "7"]);
    },
  );

  test("When the first lists fail, it should not be synced before one succeeds", async () => {
    const { running, errors } = await aWatch({
      lists: [refused(503, "ServiceUnavailable"), refused(403, "Forbidden"), listOf("7", anImage("a", "1"))],
      watches: [quiet],
    });
    await running.until("synced");
    expect(running.seen).toEqual(["add Image/a", "synced"]);
    expect(errors.map(({ error }) => error.code)).toEqual(["Unavailable", "Forbidden"]);
  });

  test("When the server sends Retry-After, it should wait that long", async () => {
    const busy: WatchResponder = (_, response) =>
      respondStatus(response, 429, "TooManyRequests", { headers: { "retry-after": "1" } });
    const { running } = await aWatch({
      lists: [listOf("7")],
      watches: [busy, watchOf([line("ADDED", anImage("a", "8"))])],
    });
    await running.until("synced");
    const since = performance.now();
    await running.until("add Image/a");
    expect(performance.now() - since).toBeGreaterThan(900);
  });

  test("When every watch ends at once, it should pause between them", async () => {
    const { api, running } = await aWatch({ lists: [listOf("7")], watches: [watchOf([], "ended")] });
    await running.until("synced");
    const since = performance.now();
    await expect.poll(() => versionsOf(api).length, { interval: 5 }).toBeGreaterThan(6);
    expect(performance.now() - since).toBeGreaterThan(30);
  });
});

type Change = ReturnType<ReturnType<typeof knownObjects>["stored"]>[number];
type Version = Readonly<{ uid: string; resourceVersion: string }>;

const { apiVersion, kind } = kinds.Event;

function anObject([namespace = "", name = ""]: readonly string[], version: Version): KubernetesObject {
  return { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}), ...version } };
}

/** The state of a reader that has applied every change. */
function apply(held: Map<string, Version>, { verb, object }: Change): void {
  const { namespace = "", name, uid = "", resourceVersion = "" } = object.metadata;
  const key = `${namespace}/${name}`;
  if (verb === "add") expect(held.has(key)).toBe(false);
  else expect(held.get(key)?.uid).toBe(uid);
  if (verb === "delete") held.delete(key);
  else held.set(key, { uid, resourceVersion });
}

const version = fc
  .tuple(fc.constantFrom("u1", "u2"), fc.constantFrom("1", "2", "3"))
  .map(([uid, resourceVersion]) => ({ uid, resourceVersion }));
const path = fc.constantFrom("/a", "n/a", "n/b", "m/a");
const contents = fc.dictionary(path, version, { noNullPrototype: true });

const step = fc.oneof(
  fc.record({ how: fc.constant("stored" as const), path, version }),
  fc.record({ how: fc.constant("deleted" as const), path, version }),
  fc.record({ how: fc.constant("relisted" as const), contents, abandoned: contents }),
);

test("When stores, deletions and new lists come in any order, the changes should lead to the current state", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const known = knownObjects(kinds.Event);
      const server = new Map<string, Version>();
      const held = new Map<string, Version>();
      const take = (changes: readonly Change[]) => {
        for (const change of changes) apply(held, change);
      };
      for (const one of steps) {
        if (one.how === "stored") {
          server.set(one.path, one.version);
          take(known.stored(anObject(one.path.split("/"), one.version)));
        } else if (one.how === "deleted") {
          server.delete(one.path);
          // The last state of an object comes with its deletion, with the uid that was reported.
          const last = { ...one.version, ...held.get(one.path) };
          take(known.deleted(anObject(one.path.split("/"), last)));
        } else {
          const comparison = known.relisted();
          // The first pages of a restarted list have been reported, and do not count.
          for (const [key, seen] of Object.entries(one.abandoned))
            take(comparison.listed(anObject(key.split("/"), seen)));
          comparison.restarted();
          server.clear();
          for (const [key, seen] of Object.entries(one.contents)) {
            server.set(key, seen);
            take(comparison.listed(anObject(key.split("/"), seen)));
          }
          take(comparison.complete());
        }
        expect(held).toEqual(server);
      }
    }),
    { numRuns: 500 },
  );
});

test("When a watch repeats known versions, there should be no changes", () => {
  const known = knownObjects(kinds.Event);
  const object = anObject(["n", "a"], { uid: "u1", resourceVersion: "1" });
  expect(known.stored(object)).toHaveLength(1);
  expect(known.stored(object)).toEqual([]);
  expect(known.relisted().listed(object)).toEqual([]);
});

test("When the reader stops reading, it should block the server instead of filling memory", async () => {
  const big = "x".repeat(64 * 1024);
  let sent = 0;
  let isHeldBack = false;
  const flood: WatchResponder = async (_, response) => {
    response.writeHead(200);
    for (; sent < 2_000 && !isHeldBack; sent++) {
      const object = { ...anImage(`i-${sent}`, String(sent)), spec: { big } };
      if (response.write(line("ADDED", object))) continue;
      const drained = new Promise<boolean>((resolve) => response.once("drain", () => resolve(true)));
      const patience = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 500));
      isHeldBack = !(await Promise.race([drained, patience]));
    }
  };
  const api = await scriptedApi((call, response) =>
    call.query.watch ? flood(call, response) : listOf("7")(call, response),
  );
  const hub = kubernetesHub(kubeConfigFor(api.url));
  const stop = new AbortController();
  for await (const { verb } of hub.watch(kinds.Image, stop.signal)) {
    if (verb === "synced") continue;
    await expect.poll(() => isHeldBack).toBe(true); // read one, then no more
    break;
  }
  hub.close();
  expect(sent).toBeLessThan(1_000);
});

test("When a reader leaves or aborts, nothing more should be read and no request sent", async () => {
  const api = await scriptedApi((call, response) =>
    (call.query.watch ? quiet : listOf("7", anImage("a", "1"), anImage("b", "2")))(call, response),
  );
  const hub = kubernetesHub(kubeConfigFor(api.url), { watch: quick });
  onTestFinished(() => hub.close());
  const stop = new AbortController();
  for await (const _change of hub.watch(kinds.Image, stop.signal)) break;
  let read = 0;
  for await (const _change of hub.watch(kinds.Image, stop.signal)) {
    read++;
    stop.abort();
  }
  expect(read).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 100)); // longer than any pause between attempts
  expect(api.calls).toHaveLength(2);
});
