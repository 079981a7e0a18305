import { expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { windowObject } from "../windows/fixtures.ts";
import { heldObjects, objectsWithErrors } from "./fleet-metrics.ts";

const now = new Date("2026-03-08T12:00:00Z");

type About = Readonly<{ kind?: string; name?: string; since?: string; window?: string; type?: string }>;

/** An Event with this reason. */
function anEvent(
  reason: string,
  { kind = "MachineConfigPool", name = "worker", since, window, type = "Warning" }: About = {},
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
    type,
    ...(since ? { firstTimestamp: since } : {}),
  };
}

/** Opens every night. */
const night = windowObject({ allow: { maxCost: { worker: "drain" } } });
/** Opens at the same time, and allows no change of a pool. */
const { metadata, ...preCaching } = windowObject();
const other = { ...preCaching, metadata: { ...metadata, name: "pre-caching" } };
const hour = 3_600;
const none = { objects: 0, oldestSeconds: 0, openings: 0 };
const pools = (events: readonly KubernetesObject[], windows = [night, other]) =>
  heldObjects(events, windows, now)[0];

test.for<readonly [string, readonly KubernetesObject[], typeof none]>([
  ["there is none", [], none],
  ["an Event says something else", [anEvent("InvalidScope")], none],
  [
    "its window has opened three times since",
    [anEvent("ChangeWaitsForWindow", { window: "fleet/night", since: "2026-03-05T12:00:00Z" })],
    { objects: 1, oldestSeconds: 72 * hour, openings: 3 },
  ],
  [
    "it was made while a window was open",
    [anEvent("ChangeWaitsForWindow", { window: "fleet/night", since: "2026-03-08T02:00:00Z" })],
    { objects: 1, oldestSeconds: 10 * hour, openings: 0 },
  ],
  [
    "no window allows it, the windows for pools count",
    [anEvent("ChangeHeld", { since: "2026-03-06T12:00:00Z" })],
    { objects: 1, oldestSeconds: 48 * hour, openings: 2 },
  ],
  [
    "two pools have one, the older one counts",
    [
      anEvent("ChangeHeld", { since: "2026-03-08T11:00:00Z" }),
      anEvent("ChangeHeld", { name: "master", since: "2026-03-08T10:00:00Z" }),
    ],
    { objects: 2, oldestSeconds: 2 * hour, openings: 0 },
  ],
  ["the Event has no time", [anEvent("ChangeHeld")], { objects: 1, oldestSeconds: 0, openings: 0 }],
])("When of changes that are held %s, their number and age should follow", ([, events, expected]) => {
  expect(pools(events)).toEqual({ kind: "MachineConfigPool", ...expected });
});

test("When only windows for pre-caching opened, a held change should have missed none", () => {
  const held = anEvent("ChangeHeld", { since: "2026-03-01T12:00:00Z" });
  expect(pools([held], [other])?.openings).toBe(0);
});

test("When hosted clusters wait, they should count apart from pools", () => {
  const held = anEvent("ChangeHeld", { kind: "HostedCluster", name: "shop" });
  expect(heldObjects([held], [], now)).toMatchObject([
    { kind: "MachineConfigPool", objects: 0 },
    { kind: "HostedCluster", objects: 1 },
  ]);
});

test("When objects have Events, each with an error should count once, and no other", () => {
  const mirrors = { kind: "ImageDigestMirrorSet", name: "acme" };
  const events = [
    anEvent("InvalidScope", mirrors),
    anEvent("MissingField", mirrors),
    anEvent("InvalidScope", { ...mirrors, name: "other" }),
    anEvent("MissingField", { kind: "HostedCluster", name: "shop" }),
    anEvent("DeprecatedKind", { kind: "ImageContentSourcePolicy", name: "old" }),
    anEvent("ChangeHeld"),
    anEvent("MissingField", { kind: "Unheard" }),
    anEvent("MissingField", { type: "Normal" }),
  ];
  expect(objectsWithErrors(events)).toEqual([
    { kind: "ImageDigestMirrorSet", objects: 2 },
    { kind: "HostedCluster", objects: 1 },
  ]);
});
