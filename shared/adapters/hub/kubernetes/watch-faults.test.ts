import fc from "fast-check";
import pMap from "p-map";
import { expect, test } from "vitest";
import { watching } from "../../../../test/support/hub/watching.ts";
import { kubeConfigFor, respondStatus, scriptedApi } from "../../../../test/support/servers/scripted-api.ts";
import {
  anImage,
  cutOff,
  line,
  refused,
  type WatchResponder,
  watchOf,
} from "../../../../test/support/servers/scripted-watch.ts";
import { countRun, drawn } from "../../../../test/support/setup/soak.ts";
import { kinds } from "../../../domain/kubernetes/object.ts";
import type { HubChange } from "../../../ports/hub.ts";
import { kubernetesHub } from "./kubernetes-hub.ts";

const faults = [
  "none",
  "broken off in the middle of a line",
  "ended early",
  "silent, without a bookmark",
  "expired",
  "expired by an event",
  "postponed for hours",
  "failed",
] as const;
type Fault = (typeof faults)[number];

/** What happens before a response, and what is wrong with it. */
type Step = Readonly<{
  changes: readonly Readonly<{ name: string; verb: "put" | "delete" }>[];
  fault: Fault;
}>;

const step = fc.record<Step>({
  changes: fc.array(
    fc.record({ name: fc.constantFrom("a", "b", "c", "d"), verb: fc.constantFrom("put", "put", "delete") }),
    { maxLength: 4 },
  ),
  fault: fc.constantFrom(...faults),
});

const cases = drawn(
  "lists and watches",
  { ci: 20, soak: 400 },
  fc.array(step, { minLength: 5, maxLength: 15 }),
);

type Event = Readonly<{ version: number; text: string }>;

const isBroken = (fault: Fault) => fault.startsWith("broken") || fault.startsWith("ended");

/** An API server of a few objects: after the steps it responds as it should, and a watch brings the object `end`. */
function anUnreliableServer(steps: readonly Step[]) {
  const left = [...steps];
  const present = new Map<string, ReturnType<typeof anImage>>();
  const deleted = new Set<string>();
  const events: Event[] = [];
  let version = 1;
  /** Changes up to this version are forgotten. */
  let oldest = 0;

  function put(name: string): void {
    const uid = present.get(name)?.metadata.uid;
    const type = uid ? "MODIFIED" : "ADDED";
    const object = anImage(name, String(++version), uid ?? `uid-${version}`);
    present.set(name, object);
    events.push({ version, text: line(type, object) });
  }
  function remove(name: string): void {
    const object = present.get(name);
    if (!object) return;
    present.delete(name);
    deleted.add(object.metadata.uid);
    const last = anImage(name, String(++version), object.metadata.uid);
    events.push({ version, text: line("DELETED", last) });
  }
  /** Makes the changes of the next step, and returns its fault. The last change is left to a watch. */
  function nextFault(isWatch: boolean): Fault {
    const next = left.shift();
    for (const { name, verb } of next?.changes ?? []) (verb === "put" ? put : remove)(name);
    if (!next && isWatch && !present.has("end")) put("end");
    if (next?.fault.startsWith("expired")) oldest = version;
    return next?.fault ?? "none";
  }

  /** Lists have two pages: the second is of the first one's version, which may have expired. */
  const seconds = new Map<string, string>();
  const respondList =
    (fault: Fault): WatchResponder =>
    (call, response) => {
      const token = call.query.continue;
      if (token && fault.startsWith("expired")) return refused(410, "Expired")(call, response);
      const all = [...present.values()];
      const page = (items: readonly unknown[], next: string) =>
        JSON.stringify({
          kind: "ImageList",
          metadata: { resourceVersion: String(version), continue: next },
          items,
        });
      const next = String(seconds.size + 1);
      const half = Math.ceil(all.length / 2);
      if (!token) seconds.set(next, page(all.slice(half), ""));
      const body = token ? (seconds.get(token) ?? "") : page(all.slice(0, half), next);
      if (isBroken(fault)) cutOff(response, body.slice(0, -10));
      else response.writeHead(200, { "content-type": "application/json" }).end(body);
    };

  const respondWatch =
    (fault: Fault): WatchResponder =>
    (call, response) => {
      const from = Number(call.query.resourceVersion);
      if (from < oldest && fault !== "expired by an event") return refused(410, "Expired")(call, response);
      const missing = events.filter((event) => event.version > from).map(({ text }) => text);
      const some = missing.slice(0, Math.ceil(missing.length / 2));
      const gone = line("ERROR", { kind: "Status", code: 410, reason: "Expired" });
      const responders: Readonly<Partial<Record<Fault, WatchResponder>>> = {
        "broken off in the middle of a line": watchOf(
          [...some, (missing[some.length] ?? gone).slice(0, 20)],
          "cut",
        ),
        "ended early": watchOf(some, "ended"),
        "silent, without a bookmark": watchOf(some),
        "expired by an event": watchOf([...some, gone]),
      };
      const isOver = left.length === 0 && present.has("end");
      (responders[fault] ?? watchOf(missing, isOver ? "open" : "ended"))(call, response);
    };

  const respond: WatchResponder = (call, response) => {
    const isWatch = call.query.watch !== undefined;
    const fault = nextFault(isWatch);
    if (fault === "failed") return refused(500, "InternalError")(call, response);
    if (fault === "postponed for hours")
      return respondStatus(response, 429, "TooManyRequests", { headers: { "retry-after": "7200" } });
    (isWatch ? respondWatch : respondList)(fault)(call, response);
  };
  return { respond, present, deleted };
}

/** What a process holds that has seen these changes: the version of each object by its uid. */
function heldAfter(changes: readonly HubChange[]): ReadonlyMap<string, string> {
  const held = new Map<string, string>();
  for (const change of changes) {
    if (change.verb === "synced") continue;
    const { uid = "", resourceVersion = "" } = change.object.metadata;
    if (change.verb === "delete") held.delete(uid);
    else held.set(uid, resourceVersion);
  }
  return held;
}

test("When lists and watches end early, expire, are silent or are postponed for hours, a watch should end with what the server has", async () => {
  const seen = new Set<Fault>();
  async function watchThrough(steps: readonly Step[]): Promise<void> {
    countRun("lists and watches that fail");
    const server = anUnreliableServer(steps);
    const api = await scriptedApi(server.respond);
    const hub = kubernetesHub(kubeConfigFor(api.url), {
      watch: {
        idleTimeoutMs: 30,
        absentKindMs: 5,
        retryMs: { first: 1, max: 5 },
        maxRetryAfterMs: 5,
      },
    });
    const stop = new AbortController();
    const running = watching(hub, kinds.Image, stop.signal, "");
    await running.until("add Image/end");
    stop.abort();
    await running.ended;
    hub.close();
    for (const { fault } of steps) seen.add(fault);
    const what = JSON.stringify(steps);
    const present = [...server.present.values()].map(({ metadata }) => metadata);
    expect(heldAfter(running.changes), what).toEqual(
      new Map(present.map(({ uid, resourceVersion }) => [uid, resourceVersion])),
    );
    expect(
      running.seen.filter((change) => change === "synced"),
      what,
    ).toHaveLength(1);
    for (const change of running.changes)
      if (change.verb === "delete") expect(server.deleted, what).toContain(change.object.metadata.uid);
  }
  // Most of the time they wait: a connection notices only after most of a second that nothing comes.
  await pMap(cases, watchThrough, { concurrency: 20 });
  expect([...seen].sort()).toEqual([...faults].sort());
});
