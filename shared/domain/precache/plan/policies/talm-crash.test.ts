import { expect, test } from "vitest";
import {
  anUpgrade,
  aPolicy,
  aWantedRelease,
} from "../../../../../test/support/precache/precache-plan-objects.ts";
import { actionsOf, codesOf, plan } from "../../../../../test/support/precache/precache-planning.ts";

const release = { upstream: "https://graph.lab", channel: "stable-4.20" };
const met = { sno1: "Compliant", sno2: "Compliant" };

test.for([
  {
    what: "a ClusterVersion has a number for its version",
    policies: [aPolicy("platform", [aWantedRelease({ ...release, desiredUpdate: { version: 4.2 } })])],
  },
  {
    what: "a ClusterVersion has a text for its desiredUpdate",
    policies: [aPolicy("platform", [aWantedRelease({ desiredUpdate: "4.20.3" })])],
  },
  {
    what: "a ClusterVersion has a text for its spec",
    policies: [aPolicy("platform", [{ ...aWantedRelease(), spec: "4.20.3" }])],
  },
  {
    what: "a dependency has no namespace, which no schema demands",
    policies: [aPolicy("platform", [aWantedRelease()], undefined, { dependencies: [{ name: "other" }] })],
  },
  {
    what: "a raw template leaves a Subscription without its namespace",
    policies: [
      aPolicy("platform", [], undefined, {
        raw: "- objectDefinition:\n    kind: Subscription\n    apiVersion: v1\n    metadata: {name: a, namespace: {{ f }}}\n",
      }),
    ],
  },
  {
    what: "a Subscription has a status and no spec",
    policies: [
      aPolicy("platform", [aWantedRelease(), { kind: "Subscription", status: { state: "AtLatestKnown" } }]),
    ],
  },
  {
    what: "a CatalogSource of a policy that is met has no spec",
    policies: [
      aPolicy("platform", [aWantedRelease()]),
      aPolicy("met", [{ kind: "CatalogSource", metadata: { name: "c" } }], met),
    ],
  },
  {
    what: "the raw templates of a policy are empty",
    policies: [aPolicy("platform", [aWantedRelease()]), aPolicy("met", [], met, { raw: "" })],
  },
])("When $what, TALM should fail without a condition, and hubrelay should report one", ({ policies }) => {
  const managedPolicies = policies.map(({ metadata }) => metadata.name);
  const objects = [anUpgrade({ managedPolicies }), ...policies];
  const likeTalm = plan({ objects, options: { compat: "talm" } });
  expect(likeTalm.conditions).toEqual([]);
  expect(likeTalm.spec.platformImage).toBe("");
  expect(Object.values(actionsOf(likeTalm))).not.toContain("precache");
  expect(codesOf(likeTalm)).toContain("error TalmFails");
  expect(plan({ objects }).conditions.length).toBeGreaterThan(1);
});
