import { expect, test } from "vitest";
import { kinds } from "../../../domain/kubernetes/object.ts";
import { collectionPath, objectPath, requestedBy } from "./paths.ts";

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

test.for([
  { method: "GET", path: "/apis/config.openshift.io/v1/images", is: "list images" },
  { method: "GET", path: "/apis/config.openshift.io/v1/images", query: { watch: "1" }, is: "watch images" },
  { method: "GET", path: "/apis/config.openshift.io/v1/images/cluster", is: "get images" },
  { method: "GET", path: "/api/v1/namespaces/default/events", is: "list events" },
  { method: "GET", path: "/api/v1/namespaces/default", is: "get namespaces" },
  { method: "POST", path: "/api/v1/namespaces/default/events", is: "create events" },
  { method: "DELETE", path: "/api/v1/namespaces/default/events/a.1", is: "delete events" },
  {
    method: "PUT",
    path: "/apis/work.open-cluster-management.io/v1/namespaces/a/manifestworks/b/status",
    is: "update manifestworks/status",
  },
  { method: "GET", path: "/version", is: "get /version" },
  {
    method: "GET",
    path: "/openapi/v3/apis/config.openshift.io/v1",
    is: "get /openapi/v3/apis/config.openshift.io/v1",
  },
] as const)("When $method $path is sent, its right should be $is", ({ is, ...request }) => {
  const { verb, resource } = requestedBy(request);
  expect(`${verb} ${resource}`).toBe(is);
});
