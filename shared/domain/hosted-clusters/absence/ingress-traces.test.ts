import { expect, test } from "vitest";
import { lookedAt } from "./expected-objects.ts";
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
  { name: "ingresses are guarded", traces: inBoth([], [], [guard("proxies", "ingresses")]), told: [] },
  {
    name: "ingresses are not guarded",
    traces: inBoth([], [], [guard("proxies")]),
    told: ["missing ValidatingAdmissionPolicy/config ingresses"],
  },
  {
    name: "ingresses are guarded without Ingress",
    traces: inBoth(noIngress, [], [guard("ingresses")]),
    told: ["leftover ValidatingAdmissionPolicy/config ingresses"],
  },
  {
    name: "another policy has that name",
    traces: inBoth([], [], [anObject(lookedAt.ValidatingAdmissionPolicy, "config")]),
    told: [],
  },
  {
    name: "the router is trusted",
    traces: inBoth(
      [],
      [authorities("root-ca", "root", "router"), authorities("observed-default-ingress-cert", "router")],
      [],
    ),
    told: [],
  },
  {
    name: "the router is not trusted",
    traces: inBoth(
      [],
      [authorities("root-ca", "root"), authorities("observed-default-ingress-cert", "router")],
      [],
    ),
    told: [`missing ${bundle}`],
  },
  {
    name: "there is no router to trust",
    traces: inBoth([], [authorities("root-ca", "root"), authorities("observed-default-ingress-cert")], []),
    told: [],
  },
  {
    name: "the router's authority is not written yet",
    traces: inBoth(
      [],
      [
        authorities("root-ca", "root"),
        anObject(lookedAt.ConfigMap, "observed-default-ingress-cert", controlPlaneNamespace),
      ],
      [],
    ),
    told: [],
  },
  {
    name: "there is no bundle",
    traces: inBoth([], [authorities("observed-default-ingress-cert", "router")], []),
    told: [],
  },
  {
    name: "a router is trusted without Ingress",
    traces: inBoth(noIngress, [authorities("root-ca", "root", "router")], []),
    told: [`leftover ${bundle}`],
  },
  {
    name: "the control plane alone is trusted without Ingress",
    traces: inBoth(noIngress, [authorities("root-ca", "root")], []),
    told: [],
  },
])("When $name, it should tell exactly that", ({ traces, told }) => {
  expect(findTraces(traces).map(({ kind, what }) => `${kind} ${what}`)).toEqual(told);
});
