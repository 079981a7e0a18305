import { describe, expect, test } from "vitest";
import { aRegistry, refusal, secret } from "../../../test/support/servers/registry-client.ts";
import { type ApiCall, respondJson, scriptedApi } from "../../../test/support/servers/scripted-api.ts";
import {
  basicOf,
  challenge,
  pullSecretFor,
  scriptedImage,
} from "../../../test/support/servers/scripted-registry.ts";

describe("authentication", () => {
  const needsToken = (tokens: string) => (call: ApiCall) =>
    call.headers.authorization === "Bearer opened"
      ? undefined
      : challenge(`Bearer realm="${tokens}/token",service="registry.test",scope="repository:a/b:pull"`);
  const tokenService = (expires_in = 300) =>
    scriptedApi(
      ({ headers }, response) =>
        headers.authorization === `Basic ${secret}`
          ? respondJson(response, 200, { token: "opened", expires_in })
          : respondJson(response, 401, { details: "incorrect username or password" }),
      { isTls: true },
    );

  test("When a registry requires a token, it should get one with the pull secret and reuse it", async () => {
    const tokens = await tokenService();
    const image = await scriptedImage();
    const { host, access, registry, server } = await aRegistry({ "a/b:1": image }, needsToken(tokens.url));
    const mine = { ...access, pullSecret: pullSecretFor({ [host]: secret }) };
    expect(await registry.digest(`${host}/a/b:1`, mine)).toBe(image.digest);
    expect(await registry.image(`${host}/a/b:1`, mine)).toMatchObject({ digest: image.digest });
    expect(tokens.calls.map(({ query }) => query)).toEqual([
      { service: "registry.test", scope: "repository:a/b:pull" },
    ]);
    expect(server.calls.filter(({ headers }) => headers.authorization === `Basic ${secret}`)).toEqual([]);
  });

  test.for([
    ["an identity token", { identitytoken: "identity" }],
    ["an identity token beside a user's name", { auth: basicOf("00000000", ""), identitytoken: "identity" }],
  ] as const)(
    "When a pull secret has %s, it should exchange it without writing it into a URL",
    async ([, entry]) => {
      const tokens = await scriptedApi(
        ({ method, body }, response) => {
          const form = Object.fromEntries(new URLSearchParams(body));
          return method === "POST" && form.refresh_token === "identity" && form.grant_type === "refresh_token"
            ? respondJson(response, 200, { access_token: "opened", expires_in: 300 })
            : respondJson(response, 401, { error: `unknown ${body}` });
        },
        { isTls: true },
      );
      const image = await scriptedImage();
      const { host, access, registry, server } = await aRegistry({ "a/b:1": image }, needsToken(tokens.url));
      const as = (fields: unknown) => ({
        ...access,
        pullSecret: JSON.stringify({ auths: { [host]: fields } }),
      });
      expect(await registry.digest(`${host}/a/b:1`, as(entry))).toBe(image.digest);
      const requests = tokens.calls.map(({ query, body }) => [
        query,
        Object.fromEntries(new URLSearchParams(body)),
      ]);
      expect(requests).toMatchObject([[{}, { service: "registry.test", scope: "repository:a/b:pull" }]]);
      expect(server.calls.map(({ headers }) => headers.authorization)).not.toContain("identity");

      const error = await refusal(registry.digest(`${host}/a/b:1`, as({ identitytoken: "an old one" })));
      expect(error.code).toBe("Unauthorized");
      expect(error.message).not.toContain("old");
    },
  );

  test.for([
    ["a registry token", { registrytoken: "opened" }],
    ["a registry token beside a password", { auth: secret, registrytoken: "opened" }],
    ["a registry token beside an identity token", { identitytoken: "identity", registrytoken: "opened" }],
  ] as const)(
    "When a pull secret has %s, it should be sent unchanged to the registry, and nowhere else",
    async ([, entry]) => {
      const tokens = await tokenService();
      const image = await scriptedImage();
      const { host, access, registry, server } = await aRegistry({ "a/b:1": image }, needsToken(tokens.url));
      const mine = { ...access, pullSecret: JSON.stringify({ auths: { [host]: entry } }) };
      expect(await registry.digest(`${host}/a/b:1`, mine)).toBe(image.digest);
      expect(tokens.calls).toEqual([]);
      expect(server.calls.map(({ headers }) => headers.authorization)).toEqual([undefined, "Bearer opened"]);
    },
  );

  test("When a registry rejects a registry token, there should be no retry and no quote", async () => {
    const tokens = await tokenService();
    const { host, access, registry } = await aRegistry({}, needsToken(tokens.url));
    const entry = { auth: secret, registrytoken: "expired-long-ago" };
    const mine = { ...access, pullSecret: JSON.stringify({ auths: { [host]: entry } }) };
    const error = await refusal(registry.digest(`${host}/a/b:1`, mine));
    expect(error.code).toBe("Unauthorized");
    expect(error.message).not.toContain("expired");
    expect(tokens.calls).toEqual([]);
  });

  test.for([{ identitytoken: "identity" }, { registrytoken: "opened" }])(
    "When a registry requires a password and there is only %j, it should not be sent",
    async (entry) => {
      const { host, access, registry, server } = await aRegistry({}, () => challenge('Basic realm="test"'));
      const mine = { ...access, pullSecret: JSON.stringify({ auths: { [host]: entry } }) };
      expect((await refusal(registry.digest(`${host}/a/b:1`, mine))).code).toBe("Unauthorized");
      expect(server.calls.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    },
  );

  test.for([
    [
      "a program for this registry",
      (host: string) => ({ credHelpers: { [host]: "ecr-login" } }),
      "ecr-login",
    ],
    ["a program for all", () => ({ credsStore: "desktop" }), "desktop"],
    [
      "a program for all, and one for this registry",
      (host: string) => ({ credsStore: "desktop", credHelpers: { [host]: "ecr-login" } }),
      "ecr-login",
    ],
    ["a program for another registry", () => ({ credHelpers: { "quay.io": "ecr-login" } }), undefined],
  ] as const)(
    "When a pull secret leaves its login to %s, a refusal should name what was not run",
    async ([, fields, program]) => {
      const { host, access, registry } = await aRegistry({}, () => challenge('Basic realm="test"'));
      const mine = {
        ...access,
        pullSecret: JSON.stringify({ auths: { [host]: {} }, ...fields(host) }),
      };
      const { code, message } = await refusal(registry.digest(`${host}/a/b:1`, mine));
      expect(code).toBe("Unauthorized");
      expect(/docker-credential-([\w-]+)/.exec(message)?.[1]).toBe(program);
    },
  );

  test("When a login is in the pull secret and in a credential helper, the one in the pull secret should be used", async () => {
    const image = await scriptedImage();
    const guard = ({ headers }: ApiCall) =>
      headers.authorization === `Basic ${secret}` ? undefined : challenge('Basic realm="test"');
    const { host, access, registry } = await aRegistry({ "a/b:1": image }, guard);
    const fields = { auths: { [host]: { auth: secret } }, credHelpers: { [host]: "ecr-login" } };
    const mine = { ...access, pullSecret: JSON.stringify(fields) };
    expect(await registry.digest(`${host}/a/b:1`, mine)).toBe(image.digest);
  });

  test("When the token service redirects, an identity token should not follow", async () => {
    const elsewhere = await scriptedApi((_, response) => respondJson(response, 200, { token: "opened" }), {
      isTls: true,
    });
    const tokens = await scriptedApi(
      (_, response) => {
        response.writeHead(307, { location: `${elsewhere.url}/token` }).end();
      },
      { isTls: true },
    );
    const { host, access, registry } = await aRegistry({}, needsToken(tokens.url));
    const mine = {
      ...access,
      pullSecret: JSON.stringify({ auths: { [host]: { identitytoken: "identity" } } }),
    };
    await refusal(registry.digest(`${host}/a/b:1`, mine));
    expect([tokens.calls.length, elsewhere.calls.length]).toEqual([1, 0]);
  });

  test("When a token is about to expire, it should be renewed", async () => {
    const tokens = await tokenService(60);
    const image = await scriptedImage();
    let time = 0;
    const options = { now: () => time, tagLifetimeMs: 0 };
    const { host, access, registry } = await aRegistry({ "a/b:1": image }, needsToken(tokens.url), options);
    const mine = { ...access, pullSecret: pullSecretFor({ [host]: secret }) };
    await registry.digest(`${host}/a/b:1`, mine);
    time = 49_000;
    await registry.digest(`${host}/a/b:1`, mine);
    expect(tokens.calls).toHaveLength(1);
    time = 51_000;
    await registry.digest(`${host}/a/b:1`, mine);
    expect(tokens.calls).toHaveLength(2);
  });

  test("When one credential has access to an image, another should not get it from the cache", async () => {
    const image = await scriptedImage();
    const guard = ({ headers }: ApiCall) =>
      headers.authorization === `Basic ${secret}` ? undefined : challenge('Basic realm="test"');
    const { host, access, registry } = await aRegistry({ "a/b:1": image }, guard);
    const mine = { ...access, pullSecret: pullSecretFor({ [host]: secret }) };
    const theirs = { ...access, pullSecret: pullSecretFor({ [host]: basicOf("other", "guess") }) };
    expect(await registry.image(`${host}/a/b:1`, mine)).toBeDefined();
    expect((await refusal(registry.image(`${host}/a/b:1`, theirs))).code).toBe("Unauthorized");
    expect((await refusal(registry.digest(`${host}/a/b:1`, access))).code).toBe("Unauthorized");
  });

  test.for([
    ["a password", 'Basic realm="test"'],
    ["a token", 'Bearer realm="TOKENS/token",service="registry.test"'],
  ] as const)(
    "When a registry requires %s and the pull secret has only logins of others, it should get none of them",
    async ([, requirement]) => {
      const tokens = await tokenService();
      const { host, access, registry, server } = await aRegistry({}, () =>
        challenge(requirement.replace("TOKENS", tokens.url)),
      );
      const others = ["quay.io", `${host}0`, `a.${host}`, new URL(tokens.url).host, `${host}/a/c`];
      const mine = {
        ...access,
        pullSecret: pullSecretFor(Object.fromEntries(others.map((other) => [other, secret]))),
      };
      await refusal(registry.digest(`${host}/a/b:1`, mine));
      const sent = [...server.calls, ...tokens.calls].map(({ headers }) => headers.authorization);
      expect(sent.length).toBeGreaterThan(0);
      expect(sent.filter((header) => header !== undefined)).toEqual([]);
    },
  );

  test("When a pull secret has entries for paths, it should use the longest that matches", async () => {
    const { host, access, registry, server } = await aRegistry({}, () => challenge('Basic realm="test"'));
    const mine = {
      ...access,
      pullSecret: pullSecretFor({
        [`https://${host}/v1/`]: basicOf("old", "1"),
        [`${host}/team`]: basicOf("team", "2"),
        [`${host}/team/app`]: basicOf("app", "3"),
        [`${host}/te`]: basicOf("te", "4"),
      }),
    };
    for (const path of ["team/app/x", "team/other", "teams/app"])
      await refusal(registry.digest(`${host}/${path}:1`, mine));
    const used = server.calls.flatMap(({ headers }) => headers.authorization ?? []);
    expect(used).toEqual(
      [basicOf("app", "3"), basicOf("team", "2"), basicOf("old", "1")].map((auth) => `Basic ${auth}`),
    );
  });

  test.for([
    ["is not JSON", `{"auths": {"quay.io": {"auth": "${secret}"`, "The pull secret is not valid JSON."],
    ["has no registries", `["${secret}"]`, "The pull secret has no map `auths` of registries."],
  ] as const)(
    "When the pull secret %s, it should say so without quoting it",
    async ([, pullSecret, message]) => {
      const { host, access, registry } = await aRegistry({});
      const error = await refusal(registry.digest(`${host}/a/b:1`, { ...access, pullSecret }));
      expect(error).toMatchObject({ code: "InvalidPullSecret", message });
    },
  );
});
