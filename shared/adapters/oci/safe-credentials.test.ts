import { describe, expect, test } from "vitest";
import {
  aClient,
  aPlainRegistry,
  aRegistry,
  refusal,
  secret,
  trusted,
} from "../../../test/support/servers/registry-client.ts";
import { type ApiCall, respondJson, scriptedApi } from "../../../test/support/servers/scripted-api.ts";
import {
  basicOf,
  challenge,
  pullSecretFor,
  scriptedImage,
} from "../../../test/support/servers/scripted-registry.ts";

const headersOf = (calls: readonly ApiCall[]) => calls.map(({ headers }) => headers.authorization);

/** Requires the token `opened`, which this service issues. */
const needsTokenOf = (realm: string) => (call: ApiCall) =>
  call.headers.authorization === "Bearer opened"
    ? undefined
    : challenge(`Bearer realm="${realm}/token",service="registry.test",scope="repository:a/b:pull"`);

/** Issues a token to everybody. */
const openTokens = () =>
  scriptedApi((_, response) => respondJson(response, 200, { token: "opened", expires_in: 300 }), {
    isTls: true,
  });

describe("credentials and plain HTTP", () => {
  test("When a registry on plain HTTP requires a login, it should not be sent, and the error should name the host and the fix", async () => {
    const { host, access, registry, server } = await aPlainRegistry({}, () =>
      challenge('Basic realm="test"'),
    );
    const mine = { ...access, pullSecret: pullSecretFor({ [host]: secret }) };
    expect(await refusal(registry.digest(`${host}/a/b:1`, mine))).toMatchObject({
      code: "Unauthorized",
      message: `${host}/a/b:1: the registry requires a login, but ${host} uses plain HTTP, over which no credentials are sent. Fix: serve TLS on ${host}; while it is listed as insecure, its certificate is not verified.`,
    });
    expect(headersOf(server.calls).filter(Boolean)).toEqual([]);
  });

  test.for([{ auth: secret }, { identitytoken: "identity" }, { registrytoken: "opened" }])(
    "When a registry on plain HTTP requires a token and there is %j, neither it nor its token service should get that",
    async (entry) => {
      const tokens = await scriptedApi((_, response) => respondJson(response, 401, {}), { isTls: true });
      const { host, access, registry, server } = await aPlainRegistry({}, needsTokenOf(tokens.url));
      const pullSecret = JSON.stringify({ auths: { [host]: entry } });
      const error = await refusal(registry.image(`${host}/a/b:1`, { ...access, ...trusted, pullSecret }));
      expect(error).toMatchObject({
        code: "Unauthorized",
        message: expect.stringContaining(`${host} uses plain HTTP`),
      });
      expect(tokens.calls.map(({ method }) => method)).toEqual(["GET"]);
      expect(headersOf([...server.calls, ...tokens.calls]).filter(Boolean)).toEqual([]);
    },
  );

  test("When a registry on plain HTTP issues tokens to everybody, one should be requested without the login", async () => {
    const tokens = await openTokens();
    const image = await scriptedImage();
    const { host, access, registry } = await aPlainRegistry({ "a/b:1": image }, needsTokenOf(tokens.url));
    const mine = { ...access, ...trusted, pullSecret: pullSecretFor({ [host]: secret }) };
    expect(await registry.digest(`${host}/a/b:1`, mine)).toBe(image.digest);
    expect(headersOf(tokens.calls)).toEqual([undefined]);
  });

  test("When a registry with TLS names a token service on plain HTTP, it should get no request", async () => {
    const tokens = await scriptedApi((_, response) => respondJson(response, 200, { token: "opened" }));
    const { host, access, registry } = await aRegistry({}, needsTokenOf(tokens.url));
    const mine = { ...access, pullSecret: pullSecretFor({ [host]: secret }) };
    expect((await refusal(registry.digest(`${host}/a/b:1`, mine))).code).toBe("InvalidResponse");
    expect(tokens.calls).toEqual([]);
  });

  test("When a host is listed as insecure and has TLS, its login should be sent without a verified certificate", async () => {
    const image = await scriptedImage();
    const guard = ({ headers }: ApiCall) =>
      headers.authorization === `Basic ${secret}` ? undefined : challenge('Basic realm="test"');
    const { host, registry } = await aRegistry({ "a/b:1": image }, guard);
    const mine = { insecureHosts: [host], pullSecret: pullSecretFor({ [host]: secret }) };
    expect(await registry.digest(`${host}/a/b:1`, mine)).toBe(image.digest);
  });
});

describe("token services on another host", () => {
  test("When a token service is a registry with a login of its own, it should get only the login of the registry that names it", async () => {
    const tokens = await openTokens();
    const image = await scriptedImage();
    const { host, access, registry } = await aRegistry({ "a/b:1": image }, needsTokenOf(tokens.url));
    const other = { [new URL(tokens.url).host]: basicOf("other", "registry") };
    const named = { ...access, pullSecret: pullSecretFor({ ...other, [host]: secret }) };
    await registry.digest(`${host}/a/b:1`, named);
    await registry.digest(`${host}/a/b:1`, { ...access, pullSecret: pullSecretFor(other) });
    expect(headersOf(tokens.calls)).toEqual([`Basic ${secret}`, undefined]);
  });

  test("When a registry redirects to a host that names a token service, the login should not be sent there", async () => {
    const tokens = await openTokens();
    const elsewhere = await scriptedApi(
      (call, response) => challenge(`Bearer realm="${tokens.url}/token"`)(call, response),
      { isTls: true },
    );
    const { host, access, registry } = await aRegistry({}, ({ path }) => (_, response) => {
      response.writeHead(307, { location: `${elsewhere.url}${path}` }).end();
    });
    const mine = { ...access, pullSecret: pullSecretFor({ [host]: secret }) };
    expect((await refusal(registry.digest(`${host}/a/b:1`, mine))).code).toBe("Unauthorized");
    expect(tokens.calls).toEqual([]);
  });

  test.for(["https://u:p@127.0.0.1:1/token", "file:///etc/passwd", "/token", ""])(
    "When a registry names the token service %j, it should not be used",
    async (realm) => {
      const { host, access, registry } = await aRegistry({}, () => challenge(`Bearer realm="${realm}"`));
      const mine = { ...access, pullSecret: pullSecretFor({ [host]: secret }) };
      expect((await refusal(registry.digest(`${host}/a/b:1`, mine))).code).toBe("InvalidResponse");
    },
  );
});

describe("what was read from a host without a verified certificate", () => {
  test("When a request must verify the host, it should not get cached content", async () => {
    const image = await scriptedImage();
    const { host, registry } = await aRegistry({ "a/b:1": image });
    for (const name of [`${host}/a/b:1`, `${host}/a/b@${image.digest}`])
      for (const read of [registry.digest, registry.image]) {
        expect(await read(name, { insecureHosts: [host] })).toBeDefined();
        expect((await refusal(read(name))).code).toBe("Untrusted");
      }
  });

  test("When a request must verify the host, it should get a token of its own", async () => {
    const tokens = await openTokens();
    const image = await scriptedImage();
    const { host, access, server } = await aRegistry({ "a/b:1": image }, needsTokenOf(tokens.url));
    const registry = aClient();
    const unverified = { ...access, insecureHosts: [host, new URL(tokens.url).host] };
    for (const one of [unverified, access, access])
      await registry.hasBlob(`${host}/a/b:1`, image.digest, one);
    expect(tokens.calls).toHaveLength(2);
    expect(headersOf(server.calls)).toEqual([
      undefined,
      "Bearer opened",
      undefined,
      "Bearer opened",
      "Bearer opened",
    ]);
  });
});
