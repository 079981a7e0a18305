import { expect, test } from "vitest";
import { aHostedCluster } from "../fixtures.ts";
import { findStored } from "./stored-object.ts";

const shop = aHostedCluster({ name: "shop", namespace: "default" });
const { namespace: _, ...withoutNamespace } = shop.metadata;

test.for([
  { name: "the same one", object: shop, found: true },
  { name: "one without a namespace", object: { ...shop, metadata: withoutNamespace }, found: true },
  {
    name: "another version of its API",
    object: { ...shop, apiVersion: "hypershift.openshift.io/v1" },
    found: true,
  },
  { name: "another API", object: { ...shop, apiVersion: "example.com/v1beta1" }, found: false },
  { name: "another kind", object: { ...shop, kind: "NodePool" }, found: false },
  { name: "another name", object: aHostedCluster({ name: "shop2", namespace: "default" }), found: false },
  { name: "another namespace", object: aHostedCluster({ name: "shop" }), found: false },
])("When $name is looked up, it should be found: $found", ({ object, found }) => {
  expect(findStored(object, [shop])).toBe(found ? shop : undefined);
});
