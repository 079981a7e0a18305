import { expect, test } from "vitest";
import { hostOfKey } from "#shared/adapters/oci/pull-secret.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import type { AccessEnd } from "#shared/domain/ready/access-ends.ts";
import { scriptedRegistry } from "../../../../test/support/servers/scripted-registry.ts";
import { certificate } from "../../../../test/support/servers/server-certificate.ts";
import { accessEndsCheck, registryAccessCheck } from "./registry-access-check.ts";

const now = new Date("2026-03-01T02:00:00Z");
const token: AccessEnd = { what: "token", name: "quay.io", ends: "2026-03-10T02:00:00Z" };

test.for<readonly [string, readonly AccessEnd[], string, string]>([
  ["nothing has an end", [], "ok", "Nothing with an end"],
  ["the first end is far away", [{ ...token, ends: "2026-04-01T00:00:00Z" }], "ok", "ends in 30 days"],
  ["a token ends soon", [token], "note", "The token for registry quay.io ends in 9 days"],
  ["two end soon", [token, { ...token, name: "m.lan" }], "note", "1 more ends within two weeks"],
  ["a token has ended", [{ ...token, ends: "2026-02-01T00:00:00Z" }], "problem", "ended"],
])("When %s, doctor should say so", ([, ends, state, says]) => {
  expect(accessEndsCheck(ends, [], now)).toMatchObject({ state, found: expect.stringContaining(says) });
});

test("When certificates were not seen, doctor should name the first of their registries and count the others", () => {
  const found = [["m.lan"], ["m.lan", "n.lan", "o.lan"]].map(
    (unseen) => accessEndsCheck([], unseen, now).found,
  );
  expect(found).toEqual([
    "Nothing with an end was found that nodes need. Not seen: the certificate of m.lan.",
    "Nothing with an end was found that nodes need. Not seen: the certificate of m.lan and of 2 more.",
  ]);
});

test("When registries cannot be contacted, or are more than it contacts, doctor should say so", async () => {
  const hosts = Array.from({ length: 21 }, (_, index) => `127.0.0.1:${index + 1}`);
  const auths = Object.fromEntries(hosts.map((host) => [host, {}]));
  const secret = Buffer.from(JSON.stringify({ auths })).toString("base64");
  const pullSecret = { apiVersion: "v1", kind: "Secret", metadata: { name: "pull-secret" } };
  const object = { ...pullSecret, data: { ".dockerconfigjson": secret } };
  const hub = { object: async ({ kind }: { kind: string }) => (kind === "Secret" ? object : undefined) };
  const { found } = await registryAccessCheck(hub, {}, now);
  expect(found).toMatch(/Not seen: the certificate of 127\.0\.0\.1:1 and of 20 more\.$/);
});

test.for([
  ["https://index.docker.io/v1/", "docker.io"],
  ["https://quay.io", "quay.io"],
  ["quay.io/team", "quay.io"],
  ["m.lan:5000", "m.lan:5000"],
] as const)("When a pull secret has the key %s, doctor should contact %s", ([key, host]) => {
  expect(hostOfKey(key)).toBe(host);
});

test("When a registry has an authority of its own, doctor should contact it without a login", async () => {
  const authorizations: unknown[] = [];
  const guard = ({ headers }: Readonly<{ headers: Readonly<Record<string, unknown>> }>) => {
    authorizations.push(headers.authorization);
    return undefined;
  };
  const { host } = await scriptedRegistry(new Map(), guard, { isTls: true });
  const objects = new Map<string, KubernetesObject>([
    [
      "Image/cluster",
      {
        ...{ apiVersion: kinds.Image.apiVersion, kind: "Image", metadata: { name: "cluster" } },
        spec: { additionalTrustedCA: { name: "registries" } },
      },
    ],
    [
      "ConfigMap/registries",
      {
        ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "registries" } },
        data: { [host.replace(":", "..")]: certificate },
      },
    ],
  ]);
  const hub = { object: async ({ kind }: { kind: string }, name: string) => objects.get(`${kind}/${name}`) };
  expect(await registryAccessCheck(hub, {}, now)).toMatchObject({
    state: "ok",
    found: `The bundle of certificate authorities for registry ${host} ends in 34272 days, at 2120-01-01T00:00:00Z; nothing ends before.`,
  });
  expect(authorizations).toEqual([undefined]);
});
