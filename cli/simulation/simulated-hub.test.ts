import { expect, onTestFinished, test } from "vitest";
import { memoryHub } from "#shared/adapters/hub/memory/memory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { cguAnnotation, workLabels } from "#shared/domain/precache-model/work-identity.ts";
import { checkFeedbackOf, feedbackOf, runStateOf } from "#shared/domain/precache-progress/feedback.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { readMaintenanceWindow } from "#shared/domain/windows/maintenance-window.ts";
import { nextOpenings } from "#shared/domain/windows/openings.ts";
import { aDigestMirrorSet } from "../../test/support/hub/objects.ts";
import { readFate, scheduleWindows, simulateClusters, simulateMistakes } from "./simulated-hub.ts";

test.for([
  { text: "succeeds in 20s", fate: { end: "succeeds", jobMs: 20_000, offlineMs: 0, reports: 7 } },
  { text: "fails in 1s", fate: { end: "fails", jobMs: 1_000, offlineMs: 0, reports: 1 } },
  { text: "offline for 25s, fails in 6s", fate: { end: "fails", offlineMs: 25_000, reports: 2 } },
  { text: "offline", fate: { offlineMs: "never" } },
  { text: "succeeds", fate: undefined },
  { text: "succeeds in 20", fate: undefined },
  { text: "", fate: undefined },
])('When "$text" is requested, it should be read as $fate', ({ text, fate }) => {
  const read = readFate("oslo-1", text);
  if (fate) expect(read).toMatchObject({ cluster: "oslo-1", ...fate });
  else expect(read).toBeUndefined();
});

test.for([
  { now: "2026-03-01T12:00:00Z", opens: "2026-03-01T12:01:00Z" },
  { now: "2026-03-01T12:00:45Z", opens: "2026-03-01T12:01:00Z" },
  { now: "2026-03-01T12:00:46Z", opens: "2026-03-01T12:02:00Z" },
  { now: "2026-12-31T23:59:55Z", opens: "2027-01-01T00:01:00Z" },
])("When a window is to open soon after $now, it should open at $opens", async ({ now: time, opens }) => {
  const now = new Date(time);
  const hub = memoryHub({ id: "test", now: () => now });
  const { metadata, ...rest } = windowObject({ schedule: "0 2 * * SAT", timeZone: "Europe/Oslo" });
  const annotations = { "hubrelay.dev/simulate": "opens soon" };
  hub.put({ ...rest, metadata: { ...metadata, name: "soon", annotations } });
  hub.put({ ...rest, metadata: { ...metadata, name: "other" } });
  await scheduleWindows(hub, now);
  const next = (await hub.list(kinds.MaintenanceWindow)).map((object) => {
    const { window } = readMaintenanceWindow(object);
    return [object.metadata.name, window && nextOpenings(window, now, 1)[0]?.start];
  });
  const { soon, other } = Object.fromEntries(next);
  expect(soon).toEqual(new Date(opens));
  expect(other.getUTCDay()).toBe(6);
});

function work(cluster: string, label: Readonly<Record<string, string>> = { [workLabels.attempt]: "1" }) {
  const { apiVersion, kind } = kinds.ManifestWork;
  return {
    apiVersion,
    kind,
    metadata: {
      name: "precache-0123456789-abcdef",
      namespace: cluster,
      labels: { [workLabels.cgu]: "up", [workLabels.revision]: "0123456789", ...label },
      annotations: { [cguAnnotation]: "fleet/up" },
    },
    spec: { workload: { manifests: [] } },
  };
}

test("When clusters request it, their Jobs should end as requested, with bytes, and other clusters report nothing", async () => {
  const hub = memoryHub({ id: "test", now: () => new Date() });
  const { apiVersion, kind } = kinds.ManagedCluster;
  const requests = { good: "succeeds in 0s", bad: "fails in 0s", odd: "sometimes", real: undefined };
  for (const [name, request] of Object.entries(requests)) {
    const annotations = request === undefined ? {} : { "hubrelay.dev/simulate": request };
    hub.put({ apiVersion, kind, metadata: { name, annotations } });
  }
  const stop = new AbortController();
  const errors: string[] = [];
  const simulating = simulateClusters(hub, stop.signal, (error) => errors.push(String(error)));
  onTestFinished(async () => {
    stop.abort();
    await simulating;
  });
  for (const name of Object.keys(requests)) await hub.create(work(name));
  const states = () =>
    hub.all(kinds.ManifestWork).map((object) => {
      const feedback = feedbackOf(object);
      return [object.metadata.namespace, feedback && runStateOf(feedback)?.state, feedback?.values.bytesDone];
    });
  await expect.poll(states).toEqual([
    ["bad", "UnrecoverableError", "1200000000"],
    ["good", "Succeeded", "19000000000"],
    ["odd", "Starting", undefined],
    ["real", "Starting", undefined],
  ]);
  expect(errors).toEqual([expect.stringContaining('ManagedCluster/odd hubrelay.dev/simulate "sometimes"')]);
});

test("When a simulated cluster is checked, it should report every image", async () => {
  const hub = memoryHub({ id: "test", now: () => new Date() });
  const { apiVersion, kind } = kinds.ManagedCluster;
  const annotations = { "hubrelay.dev/simulate": "succeeds in 0s" };
  hub.put({ apiVersion, kind, metadata: { name: "oslo-1", annotations } });
  const stop = new AbortController();
  const simulating = simulateClusters(hub, stop.signal, (error) => expect.fail(String(error)));
  onTestFinished(async () => {
    stop.abort();
    await simulating;
  });
  await hub.create(work("oslo-1", { [workLabels.check]: "1" }));
  const present = () => hub.all(kinds.ManifestWork).map((one) => checkFeedbackOf(one)?.values.imagesDone);
  await expect.poll(present).toEqual(["190"]);
});

test("When a mirror set requests a mistake, its first rule should get a mirror with a policy, and lose the policy again", async () => {
  const hub = memoryHub({ id: "test", now: () => new Date() });
  const rule = { source: "quay.io/acme", mirrors: ["m.example/acme"] };
  const changed = { ...rule, mirrors: ["m.example/acme", "new-m.example/acme"] };
  const request = (name: string, text: string) =>
    hub.put({
      ...aDigestMirrorSet(name, [rule]),
      metadata: { name, annotations: { "hubrelay.dev/simulate": text } },
    });
  request("fixed", "mistake after 0s, fixed after 0s");
  request("made", "mistake after 0s, fixed after 999s");
  request("odd", "mistake sometimes");
  const stop = new AbortController();
  const simulating = simulateMistakes(hub, stop.signal, (error) => expect.fail(String(error)));
  const rules = () =>
    Object.fromEntries(
      hub
        .all(kinds.ImageDigestMirrorSet)
        .map(({ metadata, spec }) => [metadata.name, Object(spec).imageDigestMirrors[0]]),
    );
  await expect.poll(() => rules().made).toEqual({ ...changed, mirrorSourcePolicy: "NeverContactSource" });
  stop.abort();
  await simulating;
  expect(rules()).toMatchObject({ fixed: changed, odd: rule });
  expect(rules().fixed).toEqual(changed);
});
