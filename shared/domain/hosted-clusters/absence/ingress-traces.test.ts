import { expect, test } from "vitest";
import { traceKinds } from "./expected-objects.ts";
import { findTraces } from "./find-traces.ts";
import {
  anObject,
  authorities,
  bundle,
  controlPlaneNamespace,
  guard,
  inBoth,
  noIngress,
} from "./fixtures.ts";

test.for([
  { name: "ingresses are guarded", traces: inBoth([], [], [guard("proxies", "ingresses")]), reported: [] },
  {
    name: "ingresses are not guarded",
    traces: inBoth([], [], [guard("proxies")]),
    reported: ["missing ValidatingAdmissionPolicy/config ingresses"],
  },
  {
    name: "ingresses are guarded without Ingress",
    traces: inBoth(noIngress, [], [guard("ingresses")]),
    reported: ["leftover ValidatingAdmissionPolicy/config ingresses"],
  },
  {
    name: "another policy has that name",
    traces: inBoth([], [], [anObject(traceKinds.ValidatingAdmissionPolicy, "config")]),
    reported: [],
  },
  {
    name: "the router is trusted",
    traces: inBoth(
      [],
      [authorities("root-ca", "root", "router"), authorities("observed-default-ingress-cert", "router")],
      [],
    ),
    reported: [],
  },
  {
    name: "the router is not trusted",
    traces: inBoth(
      [],
      [authorities("root-ca", "root"), authorities("observed-default-ingress-cert", "router")],
      [],
    ),
    reported: [`missing ${bundle}`],
  },
  {
    name: "there is no router to trust",
    traces: inBoth([], [authorities("root-ca", "root"), authorities("observed-default-ingress-cert")], []),
    reported: [],
  },
  {
    name: "the router's authority is not written yet",
    traces: inBoth(
      [],
      [
        authorities("root-ca", "root"),
        anObject(traceKinds.ConfigMap, "observed-default-ingress-cert", controlPlaneNamespace),
      ],
      [],
    ),
    reported: [],
  },
  {
    name: "there is no bundle",
    traces: inBoth([], [authorities("observed-default-ingress-cert", "router")], []),
    reported: [],
  },
  {
    name: "a router is trusted without Ingress",
    traces: inBoth(noIngress, [authorities("root-ca", "root", "router")], []),
    reported: [`leftover ${bundle}`],
  },
  {
    name: "only the control plane is trusted without Ingress",
    traces: inBoth(noIngress, [authorities("root-ca", "root")], []),
    reported: [],
  },
])("When $name, it should report exactly that", ({ traces, reported }) => {
  expect(findTraces(traces).map(({ kind, what }) => `${kind} ${what}`)).toEqual(reported);
});
