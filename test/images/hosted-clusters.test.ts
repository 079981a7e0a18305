import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import type { RegistryAccess } from "#shared/ports/registry.ts";
import { basicOf, pullSecretFor } from "../support/servers/scripted-registry.ts";
import {
  type Loopback,
  type LoopbackRegistry,
  openLoopback,
  password,
  user,
} from "./support/network/loopback.ts";

/* A registry with TLS and passwords, on the machine's own loopback, and hubrelay's client for it. */

let loopback: Loopback;
let mirror: LoopbackRegistry;
let host: string;
let authorities: string;

beforeAll(async () => {
  loopback = await openLoopback();
  mirror = await loopback.registry("password");
  ({ host } = mirror);
  ({ authorities } = loopback);
});
beforeEach(() => mirror.start());
afterAll(() => loopback[Symbol.asyncDispose]());

const push = (location: string) => loopback.push(location);

const access = (
  entries: Readonly<Record<string, string>> = { [host]: basicOf(user, password) },
): RegistryAccess => ({
  pullSecret: pullSecretFor(entries),
  authorities,
});

test("When a registry requires a password, it should read tags, digests, images and files", async () => {
  const registry = ociRegistry();
  const image = await push(`${host}/team/app:v1`);
  expect(await registry.digest(`${host}/team/app:v1`, access())).toBe(image.digest);
  expect(await registry.digest(`${host}/team/app:v2`, access())).toBeUndefined();
  expect(await registry.tags(`${host}/team/app`, access())).toEqual(["v1"]);
  const read = await registry.image(`${host}/team/app@${image.digest}`, access());
  expect(read).toMatchObject({ digest: image.digest, architecture: "amd64", layers: [expect.anything()] });
  const files = await registry.files(`${host}/team/app:v1`, ["text"], access());
  expect(files.get("text")).toBe(image.layout);
  registry.close();
});

test.for([
  { what: "there is no password", entries: () => ({}), code: "Unauthorized" },
  {
    what: "the password is wrong",
    entries: () => ({ [host]: basicOf(user, "guess") }),
    code: "Unauthorized",
  },
  {
    what: "the password is for another path",
    entries: () => ({ [`${host}/other`]: basicOf(user, password) }),
    code: "Unauthorized",
  },
])("When $what, it should be refused, and the message should name no secret", async ({ entries, code }) => {
  const registry = ociRegistry({ retryMs: { first: 1, max: 1 } });
  const asked = registry.digest(`${host}/team/app:v1`, access(entries()));
  await expect(asked).rejects.toMatchObject({ code, message: expect.not.stringContaining(password) });
  registry.close();
});

test("When no authority vouches for the certificate, it should be refused, unless the host may be insecure", async () => {
  const registry = ociRegistry();
  const image = await push(`${host}/team/own:v1`);
  const { pullSecret = "" } = access();
  const asked = registry.digest(`${host}/team/own:v1`, { pullSecret });
  await expect(asked).rejects.toMatchObject({ code: "Untrusted" });
  const insecure = { pullSecret, insecureHosts: [host] };
  expect(await registry.digest(`${host}/team/own:v1`, insecure)).toBe(image.digest);
  registry.close();
});
