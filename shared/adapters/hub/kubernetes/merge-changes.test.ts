import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { kubeConfigFor, scriptedApi } from "../../../../test/support/servers/scripted-api.ts";
import {
  anImage,
  line,
  listOf,
  quiet,
  type WatchResponder,
} from "../../../../test/support/servers/scripted-watch.ts";
import { kinds } from "../../../domain/kubernetes/object.ts";
import type { HubChange } from "../../../ports/hub.ts";
import { kubernetesHub } from "./kubernetes-hub.ts";
import { mergeChanges } from "./merge-changes.ts";

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
  for await (const { verb } of hub.watch([kinds.Image], stop.signal)) {
    if (verb === "synced") continue;
    await expect.poll(() => isHeldBack).toBe(true); // read one, then no more
    break;
  }
  hub.close();
  expect(sent).toBeLessThan(1_000);
});

test("When a reader leaves in the middle, all watches should end with it", async () => {
  const api = await scriptedApi((call, response) =>
    call.query.watch
      ? quiet(call, response)
      : listOf("7", anImage("a", "1"), anImage("b", "2"))(call, response),
  );
  const hub = kubernetesHub(kubeConfigFor(api.url));
  onTestFinished(() => hub.close());
  const stop = new AbortController();
  for await (const { verb } of hub.watch(
    [kinds.Image, kinds.Infrastructure, kinds.ClusterVersion],
    stop.signal,
  )) {
    if (verb !== "synced") continue;
    await expect.poll(() => api.calls.filter(({ query }) => query.watch)).toHaveLength(2); // the third waits for us
    break;
  }
  const calls = api.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 100)); // longer than any pause between attempts
  expect(api.calls).toHaveLength(calls);
});

test("When it is stopped while a change waits to be read, it should end", async () => {
  const signal = new AbortController();
  async function* changes(): AsyncGenerator<HubChange, void, void> {
    for (;;) yield { verb: "add", object: anImage("a", "1") };
  }
  const merged = mergeChanges([changes(), changes()], signal.signal, () => undefined);
  await merged.next();
  signal.abort();
  expect(await merged.next()).toMatchObject({ done: true });
});

test("When watches fail, the others should have ended before the first error is thrown", async () => {
  const stop = new AbortController();
  const stopped = new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
  const ended: string[] = [];
  async function* watch(end: Promise<unknown>, error: string): AsyncGenerator<HubChange, void, void> {
    yield* [];
    await end;
    ended.push(error);
    throw new Error(error);
  }
  const watches = [
    watch(
      stopped.then(() => setImmediate()),
      "at the stop",
    ),
    watch(Promise.resolve(), "first"),
    watch(Promise.resolve(), "second"),
  ];
  const merged = mergeChanges(watches, new AbortController().signal, () => stop.abort());
  await expect(merged.next()).rejects.toThrow("first");
  expect(ended).toEqual(["first", "second", "at the stop"]);
});
