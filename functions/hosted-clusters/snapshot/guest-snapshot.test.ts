import { expect, test } from "vitest";
import { parse } from "yaml";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { guestClusterVersion, secret } from "../../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { ownWorld, sources } from "../../../test/support/hosted-clusters/hosted-cluster-worlds.ts";
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

const namespace = "clusters-shop";

test("When the guest lets only HyperShift's operator write mirrors, it should not try, say so, and write the rest", async () => {
  const policy: KubernetesObject = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "mirror" },
    spec: {},
  };
  const world = await ownWorld(
    aHostedCluster({ spec: { imageContentSources: sources } }),
    [],
    [guestClusterVersion(), policy],
  );
  const { issues } = await world.settle("clusters/shop");
  expect(issues).toMatchObject([
    { code: "GuestLocked", message: expect.stringContaining("ImageDigestMirrorSet cluster") },
  ]);
  expect(await world.guest.list(kinds.ImageDigestMirrorSet)).toEqual([]);
  expect(await world.guest.list(kinds.CatalogSource)).toHaveLength(4);
  await world.guest.delete({ ...kinds.ValidatingAdmissionPolicy, name: "mirror" });
  expect((await world.settle("clusters/shop")).issues).toEqual([]);
  expect(await world.guest.list(kinds.ImageDigestMirrorSet)).toHaveLength(1);
});

test("When HyperShift's operator has an account in the guest, it should use that account, with the administrator's server", async () => {
  const config = (server: string, token: string) =>
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server } }],
      users: [{ name: "u", user: { token } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    });
  const world = await ownWorld(aHostedCluster(), [
    secret(namespace, "hcco-kubeconfig", { kubeconfig: config("https://kube-apiserver:6443", "operator") }),
  ]);
  const published = await world.hub.get(kinds.Secret, "admin-kubeconfig", namespace);
  if (!published) throw new Error("the kubeconfig of this test is gone");
  const admin = secret(namespace, "admin-kubeconfig", {
    kubeconfig: config("https://api.shop.example:6443", "admin"),
  });
  await world.hub.update({ ...published, ...admin, metadata: published.metadata });
  await world.settle("clusters/shop");
  expect(parse(world.kubeconfigs.at(-1) ?? "")).toMatchObject({
    clusters: [{ cluster: { server: "https://api.shop.example:6443" } }],
    users: [{ user: { token: "operator" } }],
  });
});
