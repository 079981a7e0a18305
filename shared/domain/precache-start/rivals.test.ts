import { expect, test } from "vitest";
import { anUpgrade } from "../../../test/support/precache/precache-snapshots.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { rivalsFor, runningRival } from "./rivals.ts";

const rival = { namespace: "default", name: "other", creationTimestamp: "2026-03-01T01:00:00Z" };
const other = (precaching: unknown): KubernetesObject => ({
  ...anUpgrade([], { name: "other" }),
  status: { precaching },
});

test.for<Readonly<{ what: string; precaching: unknown; states: readonly unknown[]; runs: boolean }>>([
  { what: "plans it", precaching: { clusters: ["sno1"] }, states: [undefined], runs: false },
  {
    what: "runs on it",
    precaching: { clusters: ["sno1"], status: { sno1: "Active" } },
    states: ["Active"],
    runs: true,
  },
  {
    what: "is TALM's and runs on it",
    precaching: { status: { sno1: "Starting" } },
    states: ["Starting"],
    runs: true,
  },
  {
    what: "is done with it",
    precaching: { clusters: ["sno1"], status: { sno1: "Succeeded" } },
    states: ["Succeeded"],
    runs: false,
  },
  {
    what: "is about other clusters",
    precaching: { clusters: ["sno2"], status: { sno2: "Active" } },
    states: [],
    runs: false,
  },
  { what: "has no pre-caching", precaching: undefined, states: [], runs: false },
  {
    what: "has fields of other types",
    precaching: { clusters: "sno1", status: { sno1: 1 } },
    states: [],
    runs: false,
  },
  { what: "has no map of states", precaching: { status: "sno1" }, states: [], runs: false },
])("When another upgrade $what, its states there should be $states", ({ precaching, states, runs }) => {
  const others = [other(precaching)];
  expect(rivalsFor("sno1", others)).toEqual(states.map((state) => ({ ...rival, state })));
  expect(runningRival("sno1", others)?.name).toBe(runs ? "other" : undefined);
});
