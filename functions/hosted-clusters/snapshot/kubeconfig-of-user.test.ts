import { expect, test } from "vitest";
import { kubeconfigOfUser } from "./guest-snapshot.ts";

const config = (name: string, more: object = {}) =>
  JSON.stringify({
    clusters: [
      { name: "other", cluster: { server: "https://other.example" } },
      { name, cluster: { server: `https://${name}.example` } },
    ],
    users: [
      { name, user: { token: `of ${name}` } },
      { name: "other", user: { token: "of another" } },
    ],
    contexts: [{ name: "x", context: { cluster: name, user: name } }],
    "current-context": "x",
    ...more,
  });

test("When two kubeconfigs are joined, it should have the one's server and the other's user, and no more", () => {
  const joined = JSON.parse(kubeconfigOfUser(config("admin"), config("operator")));
  expect(joined).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "guest", cluster: { server: "https://admin.example" } }],
    users: [{ name: "guest", user: { token: "of operator" } }],
    contexts: [{ name: "guest", context: { cluster: "guest", user: "guest" } }],
    "current-context": "guest",
  });
});

test.for<readonly [string, string, string]>([
  ["has no context", config("admin"), config("operator", { "current-context": "y" })],
  ["has no users", config("admin"), config("operator", { users: [] })],
  ["is not YAML", config("admin"), "{"],
  ["is a text", config("admin"), "text"],
])("When the other one %s, it should leave the first as it is", ([, server, user]) => {
  expect(kubeconfigOfUser(server, user)).toBe(server);
});
