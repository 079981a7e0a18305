import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { respondStatus, scriptedApi } from "../../../../test/support/servers/scripted-api.ts";
import { certificate } from "../../../../test/support/servers/server-certificate.ts";
import { kinds } from "../../../domain/kubernetes/object.ts";
import { runUntil } from "../../network/requests.ts";
import { guestHubs } from "./guest-hubs.ts";

const authority = Buffer.from(certificate).toString("base64");

const kubeconfigOf = (server: string, token = "t") =>
  stringify({
    "current-context": "admin",
    contexts: [{ name: "admin", context: { cluster: "cluster", user: "admin" } }],
    clusters: [{ name: "cluster", cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name: "admin", user: { token } }],
  });

/** A kubeconfig of a server that does not run. */
const unreachable = (token?: string) => kubeconfigOf("https://127.0.0.1:1", token);

function guests(options: Parameters<typeof guestHubs>[0] = {}) {
  const opened = guestHubs(options);
  onTestFinished(() => opened.close());
  return opened;
}

test("When a guest cannot be reached, only this one should be skipped for a while", async () => {
  let time = 0;
  const { open } = guests({ cooldownMs: 60_000, now: () => time });
  const version = async (cluster: string) =>
    (await open(cluster, unreachable())).get(kinds.ClusterVersion, "version");
  await expect(version("clusters/dead")).rejects.toThrow(/cannot be reached/);
  await expect(version("clusters/dead")).rejects.toMatchObject({
    code: "Unavailable",
    message: "the API of clusters/dead did not respond and is skipped for a while",
  });
  await expect(version("clusters/other")).rejects.toThrow(/cannot be reached/);
  time = 60_000;
  await expect(version("clusters/dead")).rejects.toThrow(/cannot be reached/);
});

test("When a kubeconfig stays the same, its guest should stay open, and be opened again when it changes", async () => {
  const { open, opened } = guests();
  expect(opened("clusters/shop")).toBeUndefined();
  const [first, again] = await Promise.all([
    open("clusters/shop", unreachable()),
    open("clusters/shop", unreachable()),
  ]);
  expect(again).toBe(first);
  expect(opened("clusters/shop")).toBe(first);
  expect(await open("clusters/shop", unreachable("renewed"))).not.toBe(first);
});

test("When more guests are open than it keeps, it should close the one that was used least recently", async () => {
  const { open, opened } = guests({ capacity: 2 });
  for (const name of ["a", "b", "a", "c"]) await open(name, unreachable());
  expect(["a", "b", "c"].map((name) => opened(name) !== undefined)).toEqual([true, false, true]);
});

test("When a kubeconfig is rejected, it should be rejected again, and the previous one dropped", async () => {
  const { open, opened } = guests();
  await open("clusters/shop", unreachable());
  for (const _ of [1, 2])
    await expect(open("clusters/shop", "users: [{name: a, user: {exec: {}}}]")).rejects.toThrow("kubeconfig");
  expect(opened("clusters/shop")).toBeUndefined();
});

test("When a guest's response never ends, it should be read no further than the limit, and be skipped for a while", async () => {
  const api = await scriptedApi(
    (_, response) => {
      response.writeHead(200);
      const send = () => {
        while (!response.destroyed && response.write(" ".repeat(65_536)));
      };
      response.on("drain", send);
      send();
    },
    { isTls: true },
  );
  const { open } = guests({ requestTimeoutMs: 20_000 });
  const guest = await open("clusters/endless", kubeconfigOf(api.url));
  await expect(guest.list(kinds.ClusterVersion)).rejects.toThrow("the response is longer than 8388608 bytes");
  await expect(guest.list(kinds.ClusterVersion)).rejects.toThrow("is skipped for a while");
  expect(api.calls).toHaveLength(1);
});

test("When a request is aborted with its batch, the guest should not be skipped", async () => {
  const batch = new AbortController();
  const api = await scriptedApi(
    ({ path }, response) =>
      path.endsWith("/version") ? batch.abort() : respondStatus(response, 404, "NotFound"),
    { isTls: true },
  );
  const { open } = guests();
  const guest = await open("clusters/slow", kubeconfigOf(api.url));
  const aborted = runUntil(batch.signal, () => guest.get(kinds.ClusterVersion, "version"));
  await expect(aborted).rejects.toThrow("get ClusterVersion/version");
  expect(await guest.get(kinds.ClusterVersion, "other")).toBeUndefined();
});
