import { expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { heldChanges } from "./fleet-metrics.ts";

const now = new Date("2026-03-08T12:00:00Z");

type About = Readonly<{ kind?: string; name?: string; since?: string; window?: string }>;

/** An Event with this reason. */
function anEvent(
  reason: string,
  { kind = "MachineConfigPool", name = "worker", since, window }: About = {},
): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${name}.${reason}`,
      namespace: "default",
      ...(window ? { annotations: { "hubrelay.dev/waits-for": window } } : {}),
    },
    involvedObject: { kind, name },
    reason,
    type: "Warning",
    ...(since ? { firstTimestamp: since } : {}),
  };
}

/** Opens every night. */
const night = windowObject({ allow: { maxCost: { worker: "drain" } } });
/** Opens at the same time, and allows no change of a pool. */
const { metadata, ...preCaching } = windowObject();
const other = { ...preCaching, metadata: { ...metadata, name: "pre-caching" } };
const hour = 3_600;
const none = { oldestSeconds: 0, openings: 0 };
const pools = (events: readonly KubernetesObject[], windows = [night, other]) =>
  heldChanges(events, windows, now)[0];

test.for<readonly [string, readonly KubernetesObject[], typeof none]>([
  ["there is none", [], none],
  ["an Event says something else", [anEvent("InvalidScope")], none],
  [
    "its window has opened three times since",
    [anEvent("ChangeWaitsForWindow", { window: "fleet/night", since: "2026-03-05T12:00:00Z" })],
    { oldestSeconds: 72 * hour, openings: 3 },
  ],
  [
    "it was made while a window was open",
    [anEvent("ChangeWaitsForWindow", { window: "fleet/night", since: "2026-03-08T02:00:00Z" })],
    { oldestSeconds: 10 * hour, openings: 0 },
  ],
  [
    "no window allows it, the windows for pools count",
    [anEvent("ChangeHeld", { since: "2026-03-06T12:00:00Z" })],
    { oldestSeconds: 48 * hour, openings: 2 },
  ],
  [
    "two pools have one, the older one counts",
    [
      anEvent("ChangeHeld", { since: "2026-03-08T11:00:00Z" }),
      anEvent("ChangeHeld", { name: "master", since: "2026-03-08T10:00:00Z" }),
    ],
    { oldestSeconds: 2 * hour, openings: 0 },
  ],
  ["the Event has no time", [anEvent("ChangeHeld")], { oldestSeconds: 0, openings: 0 }],
])(
  "When of changes that are held %s, their age and the openings since should follow",
  ([, events, expected]) => {
    expect(pools(events)).toEqual({ kind: "MachineConfigPool", ...expected });
  },
);

test("When only windows for pre-caching opened, a held change should have missed none", () => {
  const held = anEvent("ChangeHeld", { since: "2026-03-01T12:00:00Z" });
  expect(pools([held], [other])?.openings).toBe(0);
});

test("When hosted clusters wait, they should count apart from pools", () => {
  const held = anEvent("ChangeHeld", { kind: "HostedCluster", name: "shop", since: "2026-03-08T11:00:00Z" });
  expect(heldChanges([held], [], now)).toMatchObject([
    { kind: "MachineConfigPool", oldestSeconds: 0 },
    { kind: "HostedCluster", oldestSeconds: hour },
  ]);
});
