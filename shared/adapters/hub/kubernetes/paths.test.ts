import { expect, test } from "vitest";
import { kinds } from "../../../domain/kubernetes/object.ts";
import { collectionPath, objectPath } from "./paths.ts";

test("When an object is named, its path should be the API's", () => {
  expect(collectionPath(kinds.Image)).toBe("/apis/config.openshift.io/v1/images");
  expect(objectPath(kinds.Image, { name: "cluster" })).toBe("/apis/config.openshift.io/v1/images/cluster");
  expect(objectPath(kinds.Event, { namespace: "default", name: "a.1" })).toBe(
    "/api/v1/namespaces/default/events/a.1",
  );
});

test.for([
  { title: "climbs", name: "../../namespaces/kube-system/secrets/admin" },
  { title: "is the folder itself", name: "." },
  { title: "is the folder above", name: ".." },
  { title: "is empty, which would be the collection", name: "" },
  { title: "hides a slash", name: "%2e%2e%2fsecrets" },
])("When a forged name $title, it should lead nowhere", ({ name }) => {
  expect(objectPath(kinds.Image, { name })).toBeUndefined();
  expect(objectPath(kinds.Event, { namespace: name, name: "a" })).toBeUndefined();
});

test.for([
  { name: "a?watch=true", path: "/apis/config.openshift.io/v1/images/a%3Fwatch%3Dtrue" },
  { name: "a#b", path: "/apis/config.openshift.io/v1/images/a%23b" },
  { name: "a b", path: "/apis/config.openshift.io/v1/images/a%20b" },
])("When a name has a URL's own characters, it should be encoded", ({ name, path }) => {
  expect(objectPath(kinds.Image, { name })).toBe(path);
});
