import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import { leaseCheck } from "./lease-check.ts";

const name = { namespace: "hubrelay", name: "hubrelay-forwarder" };
const now = new Date("2026-03-01T02:00:00Z");
const aLease = (spec: object) => ({
  apiVersion: kinds.Lease.apiVersion,
  kind: kinds.Lease.kind,
  metadata: name,
  spec,
});
const held = { holderIdentity: "pod-1", leaseDurationSeconds: 15, renewTime: "2026-03-01T01:59:58.000000Z" };

const cases = [
  {
    title: "is held",
    lease: aLease(held),
    state: "ok",
    says: "pod-1 holds the Lease hubrelay/hubrelay-forwarder.",
  },
  { title: "is not there", lease: undefined, state: "note", says: "No forwarder has taken" },
  {
    title: "was given back",
    lease: aLease({ ...held, holderIdentity: "" }),
    state: "note",
    says: "gave it back",
  },
  {
    title: "was renewed as long ago as another would wait",
    lease: aLease({ ...held, renewTime: "2026-03-01T01:59:15.000000Z" }),
    state: "ok",
    says: "pod-1 holds",
  },
  {
    title: "was not renewed for longer, and nobody took it",
    lease: aLease({ ...held, renewTime: "2026-03-01T01:59:14.000000Z" }),
    state: "problem",
    says: "has not renewed it for 46 s: no forwarder works.",
  },
  {
    title: "was renewed by a clock that goes before",
    lease: aLease({ ...held, renewTime: "2026-03-01T02:10:00.000000Z" }),
    state: "ok",
    says: "pod-1 holds",
  },
  {
    title: "was never renewed",
    lease: aLease({ holderIdentity: "x" }),
    state: "problem",
    says: "no forwarder has written",
  },
  {
    title: "has times that are none",
    lease: aLease({ ...held, renewTime: "soon" }),
    state: "problem",
    says: "no forwarder has written",
  },
];

test.for(cases)("When the Lease $title, it should be told as $state", ({ lease, state, says }) => {
  const { remedy, ...check } = leaseCheck(name, lease, now);
  expect(check).toEqual({ name: "lease", state, found: expect.stringContaining(says) });
  expect(remedy === undefined).toBe(state === "ok");
});
