import { describe, expect, test } from "vitest";
import { type ApiCall, type ApiScript, answerJson, scriptedApi } from "../../test/support/scripted-api.ts";
import {
  basicOf,
  challenge,
  pullSecretFor,
  type ScriptedImage,
  scriptedImage,
  scriptedIndex,
  scriptedRegistry,
} from "../../test/support/scripted-registry.ts";
import { type RegistryAccess, RegistryError } from "../ports/registry.ts";
import { ociRegistry } from "./oci-registry.ts";

const quick = { retryMs: { first: 1, longest: 2 } };
const secret = basicOf("robot", "p4ssw0rd");

/** A registry with this content, and a client that may speak plain HTTP with it. */
async function aRegistry(
  held: Readonly<Record<string, ScriptedImage>>,
  guard?: (call: ApiCall) => ApiScript | undefined,
  options: Parameters<typeof ociRegistry>[0] = {},
) {
  const server = await scriptedRegistry(new Map(Object.entries(held)), guard);
  const access: RegistryAccess = { insecureHosts: [server.host] };
  return { server, host: server.host, access, registry: ociRegistry({ ...quick, ...options }) };
}

async function refusal(promise: Promise<unknown>): Promise<RegistryError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RegistryError)) throw new Error(`no RegistryError but ${String(error)}`);
  return error;
}

describe("what a registry holds", () => {
  test("When a tag exists, it should answer its digest, and undefined for one that does not", async () => {
    const image = await scriptedImage();
    const { host, access, registry } = await aRegistry({ "olm/index:v4.20": image });
    expect(await registry.digest(`${host}/olm/index:v4.20`, access)).toBe(image.digest);
    expect(await registry.digest(`${host}/olm/index@${image.digest}`, access)).toBe(image.digest);
    expect(await registry.digest(`${host}/olm/index:v4.21`, access)).toBeUndefined();
    expect(await registry.tags(`${host}/olm/index`, access)).toEqual(["v4.20"]);
    expect(await registry.tags(`${host}/olm/other`, access)).toBeUndefined();
  });

  test("When an image is for one platform, it should be read with labels, layers and its size", async () => {
    const labels = { "io.openshift.release": "4.20.4" };
    const image = await scriptedImage({ labels, layers: [{ a: "1" }, { b: "2" }] });
    const { host, access, registry } = await aRegistry({ "ocp/release:4.20.4": image });
    const found = await registry.image(`${host}/ocp/release:4.20.4`, access);
    expect(found).toMatchObject({ digest: image.digest, labels, architecture: "amd64", size: image.size });
    expect(found?.layers).toHaveLength(2);
  });

  test("When an image is for several platforms, it should be the one that was asked for", async () => {
    const amd64 = await scriptedImage({ labels: { of: "amd64" } });
    const arm64 = await scriptedImage({ labels: { of: "arm64" }, architecture: "arm64" });
    const list = scriptedIndex([
      { image: amd64, architecture: "amd64" },
      { image: arm64, architecture: "arm64" },
    ]);
    const held = { "a/b:multi": list, "a/b:amd64": amd64, "a/b:arm64": arm64 };
    const { host, access, registry } = await aRegistry(held);
    const read = (architecture: string) => registry.image(`${host}/a/b:multi`, access, { architecture });
    expect(await read("arm64")).toMatchObject({ digest: arm64.digest, listDigest: list.digest });
    expect(await registry.image(`${host}/a/b:multi`, access)).toMatchObject({ labels: { of: "amd64" } });
    expect(await read("s390x")).toBeUndefined();
  });

  test("When files are read, it should be the topmost layer's, without those that a layer takes away", async () => {
    const image = await scriptedImage({
      layers: [
        { "release-manifests/image-references": "old", "etc/gone": "1", "etc/kept": "2" },
        { "./release-manifests/image-references": "new", "etc/.wh.gone": "" },
      ],
    });
    const { host, access, registry } = await aRegistry({ "ocp/release:1": image });
    const paths = ["release-manifests/image-references", "etc/gone", "etc/kept", "nowhere"];
    const files = await registry.files(`${host}/ocp/release:1`, paths, access);
    expect(Object.fromEntries(files)).toEqual({
      "release-manifests/image-references": "new",
      "etc/kept": "2",
    });
    expect(await registry.files(`${host}/ocp/release:2`, paths, access)).toEqual(new Map());
  });

  test("When tags come in pages, it should follow them, and only within the repository", async () => {
    const pages: Record<string, [string[], string]> = {
      "": [["v1", "v2"], '</v2/a/b/tags/list?last=v2&n=2>; rel="next"'],
      v2: [["v3"], '</v2/other/tags/list?last=v3>; rel="next"'],
    };
    const { host, access, registry, server } = await aRegistry({}, ({ query }) => (_, response) => {
      const [tags, link] = pages[query.last ?? ""] ?? [[], ""];
      answerJson(response, 200, { tags }, { link });
    });
    expect(await registry.tags(`${host}/a/b`, access)).toEqual(["v1", "v2", "v3"]);
    expect(server.calls).toHaveLength(2);
  });
});

describe("who is let in", () => {
  const needsToken = (tokens: string) => (call: ApiCall) =>
    call.headers.authorization === "Bearer opened"
      ? undefined
      : challenge(`Bearer realm="${tokens}/token",service="registry.test",scope="repository:a/b:pull"`);
  const tokenService = (expires_in = 300) =>
    scriptedApi(({ headers }, response) =>
      headers.authorization === `Basic ${secret}`
        ? answerJson(response, 200, { token: "opened", expires_in })
        : answerJson(response, 401, { details: "incorrect username or password" }),
    );

  test("When a registry wants a token, it should get one with the pull secret and use it again", async () => {
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
      const tokens = await scriptedApi(({ method, body }, response) => {
        const form = Object.fromEntries(new URLSearchParams(body));
        return method === "POST" && form.refresh_token === "identity" && form.grant_type === "refresh_token"
          ? answerJson(response, 200, { access_token: "opened", expires_in: 300 })
          : answerJson(response, 401, { error: `unknown ${body}` });
      });
      const image = await scriptedImage();
      const { host, access, registry, server } = await aRegistry({ "a/b:1": image }, needsToken(tokens.url));
      const as = (fields: unknown) => ({
        ...access,
        pullSecret: JSON.stringify({ auths: { [host]: fields } }),
      });
      expect(await registry.digest(`${host}/a/b:1`, as(entry))).toBe(image.digest);
      const asked = tokens.calls.map(({ query, body }) => [
        query,
        Object.fromEntries(new URLSearchParams(body)),
      ]);
      expect(asked).toMatchObject([[{}, { service: "registry.test", scope: "repository:a/b:pull" }]]);
      expect(server.calls.map(({ headers }) => headers.authorization)).not.toContain("identity");

      const error = await refusal(registry.digest(`${host}/a/b:1`, as({ identitytoken: "an old one" })));
      expect(error.code).toBe("Unauthorized");
      expect(error.message).not.toContain("old");
    },
  );

  test("When a registry wants a password and there is an identity token alone, it should be refused", async () => {
    const { host, access, registry } = await aRegistry({}, () => challenge('Basic realm="test"'));
    const mine = {
      ...access,
      pullSecret: JSON.stringify({ auths: { [host]: { identitytoken: "identity" } } }),
    };
    expect((await refusal(registry.digest(`${host}/a/b:1`, mine))).code).toBe("Unauthorized");
  });

  test("When the service for tokens leads elsewhere, an identity token should not go there", async () => {
    const elsewhere = await scriptedApi((_, response) => answerJson(response, 200, { token: "opened" }));
    const tokens = await scriptedApi((_, response) => {
      response.writeHead(307, { location: `${elsewhere.url}/token` }).end();
    });
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

  test("When one credential opened an image, it should not open it for another", async () => {
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

  test("When a pull secret has entries for paths, it should use the longest that fits", async () => {
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
    ["is no JSON", `{"auths": {"quay.io": {"auth": "${secret}"`, "The pull secret is no JSON."],
    ["has no registries", `["${secret}"]`, "The pull secret has no map `auths` of registries."],
  ] as const)(
    "When the pull secret %s, it should say so without quoting it",
    async ([, pullSecret, message]) => {
      const { host, access, registry } = await aRegistry({});
      const error = await refusal(registry.digest(`${host}/a/b:1`, { ...access, pullSecret }));
      expect(error).toMatchObject({ code: "InvalidPullSecret", message });
    },
  );

  test("When a registry sends the client for tokens from TLS to plain HTTP, it should not go", async () => {
    // As a registry on HTTP cannot show it, the realm is of another kind that is as unsafe.
    const { host, access, registry } = await aRegistry({}, () =>
      challenge('Bearer realm="file:///etc/passwd"'),
    );
    const mine = { ...access, pullSecret: pullSecretFor({ [host]: secret }) };
    expect((await refusal(registry.digest(`${host}/a/b:1`, mine))).code).toBe("InvalidAnswer");
  });
});

describe("a blob that is kept elsewhere", () => {
  test("When a registry redirects, it should be followed without the credential", async () => {
    const labels = { "io.openshift.release": "4.20.4" };
    const image = await scriptedImage({ labels });
    const store = await scriptedApi(({ path }, response) =>
      response.writeHead(200).end(image.blobs.get(path.slice(1))),
    );
    const guard = ({ path, headers }: ApiCall): ApiScript | undefined => {
      if (headers.authorization !== `Basic ${secret}`) return challenge('Basic realm="test"');
      const [, digest] = /\/blobs\/(.+)$/.exec(path) ?? [];
      if (!digest) return undefined;
      return (_, response) => response.writeHead(307, { location: `${store.url}/${digest}` }).end();
    };
    const { host, access, registry } = await aRegistry({ "a/b:1": image }, guard);
    const mine = { ...access, pullSecret: pullSecretFor({ [host]: secret }) };
    expect(await registry.image(`${host}/a/b:1`, mine)).toMatchObject({ labels });
    expect(store.calls).toHaveLength(1);
    expect(store.calls[0]?.headers.authorization).toBeUndefined();
  });

  test("When redirects lead in a circle, it should end", async () => {
    const { host, access, registry, server } = await aRegistry({}, ({ path }) => (_, response) => {
      response.writeHead(302, { location: path }).end();
    });
    expect((await refusal(registry.digest(`${host}/a/b:1`, access))).code).toBe("InvalidAnswer");
    expect(server.calls).toHaveLength(6);
  });
});

describe("trouble", () => {
  const failing = (times: number, status: number, headers: Record<string, string> = {}) => {
    let left = times;
    return (): ApiScript | undefined =>
      left-- > 0 ? (_, response) => answerJson(response, status, {}, headers) : undefined;
  };

  test.for([429, 500, 503])(
    "When a registry answers %i twice, it should ask a third time",
    async (status) => {
      const image = await scriptedImage();
      const { host, access, registry } = await aRegistry({ "a/b:1": image }, failing(2, status));
      expect(await registry.digest(`${host}/a/b:1`, access)).toBe(image.digest);
    },
  );

  test.for([
    { status: 429, headers: {}, code: "TooManyRequests", calls: 3, retryAfterSeconds: undefined },
    { status: 503, headers: {}, code: "Unavailable", calls: 3, retryAfterSeconds: undefined },
    {
      status: 429,
      headers: { "retry-after": "120" },
      code: "TooManyRequests",
      calls: 1,
      retryAfterSeconds: 120,
    },
    { status: 403, headers: {}, code: "Unauthorized", calls: 1, retryAfterSeconds: undefined },
    { status: 400, headers: {}, code: "InvalidAnswer", calls: 1, retryAfterSeconds: undefined },
  ] as const)(
    "When a registry goes on answering $status, it should end as $code after $calls calls",
    async ({ status, headers, code, calls, retryAfterSeconds }) => {
      const { host, access, registry, server } = await aRegistry({}, failing(100, status, headers));
      expect(await refusal(registry.digest(`${host}/a/b:1`, access))).toMatchObject({
        code,
        retryAfterSeconds,
      });
      expect(server.calls).toHaveLength(calls);
    },
  );

  test("When a failure is over, it should not be remembered", async () => {
    const image = await scriptedImage();
    const { host, access, registry } = await aRegistry({ "a/b:1": image }, failing(3, 503));
    await refusal(registry.image(`${host}/a/b:1`, access));
    expect(await registry.image(`${host}/a/b:1`, access)).toBeDefined();
  });

  test("When a registry never answers, it should end in time", async () => {
    const options = { attemptTimeoutMs: 40, callTimeoutMs: 100 };
    const { host, access, registry } = await aRegistry({}, () => () => undefined, options);
    expect((await refusal(registry.digest(`${host}/a/b:1`, access))).code).toBe("Timeout");
  });

  test("When a registry has not answered in time, it should not be waited for again until a while later", async () => {
    let time = 0;
    let isSilent = true;
    const image = await scriptedImage();
    const guard = (): ApiScript | undefined => (isSilent ? () => undefined : undefined);
    const options = { attemptTimeoutMs: 40, callTimeoutMs: 100, silenceMs: 30_000, now: () => time };
    const { host, access, registry, server } = await aRegistry({ "a/b:1": image }, guard, options);
    await refusal(registry.digest(`${host}/a/b:1`, access));
    const before = server.calls.length;
    isSilent = false;
    const again = await refusal(registry.digest(`${host}/a/b:1`, access));
    expect([again.code, server.calls.length]).toEqual(["Timeout", before]);
    time = 30_000;
    expect(await registry.digest(`${host}/a/b:1`, access)).toBe(image.digest);
  });

  test("When nobody listens, it should say so, with the host and without the credential", async () => {
    const pullSecret = pullSecretFor({ "127.0.0.1:1": secret });
    const error = await refusal(ociRegistry(quick).digest("127.0.0.1:1/a/b:1", { pullSecret }));
    expect(error.code).toBe("Unavailable");
    expect(error.message).toContain("127.0.0.1:1/a/b:1");
    expect(error.message).not.toContain(secret);
  });

  test("When a registry speaks plain HTTP and nobody allowed it, it should be refused", async () => {
    const { host, registry } = await aRegistry({});
    expect((await refusal(registry.digest(`${host}/a/b:1`))).code).toBe("Untrusted");
  });

  test("When content is not what its digest says, it should be refused", async () => {
    const image = await scriptedImage({ layers: [{ file: "right" }] });
    const forged = await scriptedImage({ layers: [{ file: "wrong" }] });
    const [layer = ""] = [...image.blobs.keys()];
    const [other] = [...forged.blobs.values()];
    const guard = ({ path }: ApiCall): ApiScript | undefined =>
      path.endsWith(layer) ? (_, response) => response.writeHead(200).end(other) : undefined;
    const { host, access, registry } = await aRegistry({ "a/b:1": image }, guard);
    const reading = registry.files(`${host}/a/b:1`, ["file"], access);
    expect((await refusal(reading)).code).toBe("InvalidAnswer");
    const wrong = await aRegistry({}, () => (_, response) => response.writeHead(200).end(forged.manifest));
    const named = wrong.registry.image(`${wrong.host}/a/b@${image.digest}`, wrong.access);
    expect((await refusal(named)).code).toBe("InvalidAnswer");
  });

  test.for(["quay.io", "acme/app:v1", "quay.io/Acme/app:v1", "quay.io/acme/app@sha256:12", ""])(
    "When an image is named as %j, it should be refused before anybody is asked",
    async (image) => {
      expect((await refusal(ociRegistry().digest(image))).code).toBe("InvalidReference");
    },
  );
});

describe("answers that are kept", () => {
  test("When a tag moves, it should be seen after its time, and what has a digest is asked for once", async () => {
    const before = await scriptedImage({ labels: { at: "1" } });
    const after = await scriptedImage({ labels: { at: "2" } });
    const held = new Map([["a/b:1", before]]);
    const server = await scriptedRegistry(held);
    let time = 0;
    const registry = ociRegistry({ ...quick, now: () => time, tagLifetimeMs: 60_000 });
    const access = { insecureHosts: [server.host] };
    const digest = () => registry.digest(`${server.host}/a/b:1`, access);
    expect(await digest()).toBe(before.digest);
    held.set("a/b:1", after);
    time = 59_000;
    expect(await digest()).toBe(before.digest);
    time = 60_000;
    expect(await digest()).toBe(after.digest);
    const calls = () => server.calls.filter(({ method }) => method === "GET").length;
    await registry.image(`${server.host}/a/b@${after.digest}`, access);
    const asked = calls();
    time = 1e12;
    await registry.image(`${server.host}/a/b@${after.digest}`, access);
    expect(calls()).toBe(asked);
  });

  test("When many ask for one tag at once, it should be asked for once", async () => {
    const image = await scriptedImage();
    const { host, access, registry, server } = await aRegistry({ "a/b:1": image });
    await Promise.all(Array.from({ length: 50 }, () => registry.digest(`${host}/a/b:1`, access)));
    expect(server.calls).toHaveLength(1);
  });
});
