import fc from "fast-check";
import { expect, test } from "vitest";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { aSecret, credentialForms, tracesOf } from "../../../../test/support/messages/credential-forms.ts";
import { leaseCheck } from "./lease-check.ts";

const name = { namespace: "hubrelay", name: "hubrelay-forwarder" };
const now = new Date("2026-03-01T02:00:00Z");
const aLease = (spec: object, annotations = {}) => ({
  apiVersion: kinds.Lease.apiVersion,
  kind: kinds.Lease.kind,
  metadata: { ...name, annotations },
  spec,
});
const held = { holderIdentity: "pod-1", leaseDurationSeconds: 15, renewTime: "2026-03-01T01:59:58.000000Z" };

/** A Lease as the API server stored its renewal at this time; somebody has annotated it later. */
const storedAt = (time: string, renewTime: string) => {
  const { metadata, ...lease } = aLease({ ...held, renewTime });
  const renewal = { manager: "hubrelay", time, fieldsV1: { "f:spec": { "f:renewTime": {} } } };
  const annotated = { manager: "kubectl", time: "2026-03-01T01:59:59Z", fieldsV1: { "f:metadata": {} } };
  return { ...lease, metadata: { ...metadata, managedFields: [renewal, annotated] } };
};

const cases = [
  {
    title: "was stored a minute before its own renewal",
    lease: storedAt("2026-03-01T01:58:58Z", held.renewTime),
    state: "ok",
    says: "pod-1 has",
  },
  {
    title: "was stored more than a minute before its own renewal",
    lease: storedAt("2026-03-01T01:58:57Z", held.renewTime),
    state: "problem",
    says: "The clock of pod-1, which has the Lease hubrelay/hubrelay-forwarder, is 61 s ahead of the hub's: no maintenance window opens.",
  },
  {
    title: "was stored long after its own renewal",
    lease: storedAt("2026-03-01T01:59:58Z", "2026-03-01T01:09:58.000000Z"),
    state: "problem",
    says: "is 3000 s behind the hub's",
  },
  {
    title: "is taken",
    lease: aLease(held),
    state: "ok",
    says: "pod-1 has the Lease hubrelay/hubrelay-forwarder.",
  },
  {
    title: "is taken, and its forwarder had a heartbeat a quarter of an hour ago",
    lease: aLease(held, { "hubrelay.dev/heartbeat": "2026-03-01T01:45:00.000Z" }),
    state: "ok",
    says: "pod-1 has",
  },
  {
    title: "is taken, and its forwarder has had no heartbeat since",
    lease: aLease(held, { "hubrelay.dev/heartbeat": "2026-03-01T01:44:59.000Z" }),
    state: "problem",
    says: "no heartbeat for 901 s",
  },
  { title: "does not exist", lease: undefined, state: "note", says: "No forwarder has taken" },
  {
    title: "was released",
    lease: aLease({ ...held, holderIdentity: "" }),
    state: "note",
    says: "released it",
  },
  {
    title: "was renewed just before another forwarder would take it",
    lease: aLease({ ...held, renewTime: "2026-03-01T01:59:15.000000Z" }),
    state: "ok",
    says: "pod-1 has",
  },
  {
    title: "expired, and no forwarder took it",
    lease: aLease({ ...held, renewTime: "2026-03-01T01:59:14.000000Z" }),
    state: "problem",
    says: "has not renewed it for 46 s: no forwarder works.",
  },
  {
    title: "was renewed by a clock that is ahead",
    lease: aLease({ ...held, renewTime: "2026-03-01T02:10:00.000000Z" }),
    state: "ok",
    says: "pod-1 has",
  },
  {
    title: "was never renewed",
    lease: aLease({ holderIdentity: "x" }),
    state: "problem",
    says: "no forwarder writes such a Lease",
  },
  {
    title: "has an invalid time",
    lease: aLease({ ...held, renewTime: "soon" }),
    state: "problem",
    says: "no forwarder writes such a Lease",
  },
];

test.for(cases)("When the Lease $title, it should report $state", ({ lease, state, says }) => {
  const { remedy, ...check } = leaseCheck(name, lease, now);
  expect(check).toEqual({ name: "lease", state, found: expect.stringContaining(says) });
  expect(remedy === undefined).toBe(state === "ok");
});

test.for(Object.entries(credentialForms))(
  "When the holder of the Lease contains %s, the check should not contain it",
  ([, write]) => {
    const [hidden = ""] = fc.sample(aSecret, 1);
    const mine = { ...held, holderIdentity: `pod ${write(hidden)}` };
    const silent = { "hubrelay.dev/heartbeat": "2026-03-01T01:00:00.000Z" };
    const leases = [
      aLease({ holderIdentity: write(hidden) }),
      aLease({ ...mine, renewTime: "2026-03-01T01:00:00.000000Z" }),
      aLease(mine, silent),
      aLease(mine),
    ];
    const text = JSON.stringify(leases.map((lease) => leaseCheck(name, lease, now)));
    expect(tracesOf(hidden).filter((trace) => text.includes(trace))).toEqual([]);
  },
);
