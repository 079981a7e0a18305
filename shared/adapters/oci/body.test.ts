import { describe, expect, test } from "vitest";
import {
  aPlainRegistry,
  aRegistry,
  quick,
  refusal,
  secret,
} from "../../../test/support/servers/registry-client.ts";
import { type ApiCall, type ApiScript, respondJson } from "../../../test/support/servers/scripted-api.ts";
import { pullSecretFor, scriptedImage } from "../../../test/support/servers/scripted-registry.ts";
import { runUntil } from "../network/requests.ts";
import { ociRegistry } from "./oci-registry.ts";

describe("errors of a registry", () => {
  const failing = (times: number, status: number, headers: Record<string, string> = {}) => {
    let left = times;
    return (): ApiScript | undefined =>
      left-- > 0 ? (_, response) => respondJson(response, status, {}, headers) : undefined;
  };

  test.for([429, 500, 503])(
    "When a registry returns %i twice, there should be a third attempt",
    async (status) => {
      const image = await scriptedImage();
      const { host, access, registry } = await aRegistry({ "a/b:1": image }, failing(2, status));
      expect(await registry.digest(`${host}/a/b:1`, access)).toBe(image.digest);
    },
  );

  test.for([
    [429, {}, "TooManyRequests", 3, undefined],
    [503, {}, "Unavailable", 3, undefined],
    [429, { "retry-after": "120" }, "TooManyRequests", 1, 120],
    [403, {}, "Unauthorized", 1, undefined],
    [400, {}, "UnexpectedStatus", 1, undefined],
  ] as const)(
    "When a registry keeps returning $0, it should fail with $2 after $3 calls",
    async ([status, headers, code, calls, retryAfterSeconds]) => {
      const { host, access, registry, server } = await aRegistry({}, failing(100, status, headers));
      expect(await refusal(registry.digest(`${host}/a/b:1`, access))).toMatchObject({
        code,
        retryAfterSeconds,
      });
      expect(server.calls).toHaveLength(calls);
    },
  );

  test("When a failure is over, it should not be cached", async () => {
    const image = await scriptedImage();
    const { host, access, registry } = await aRegistry({ "a/b:1": image }, failing(3, 503));
    await refusal(registry.image(`${host}/a/b:1`, access));
    expect(await registry.image(`${host}/a/b:1`, access)).toBeDefined();
  });

  test("When requests are made once, a registry that returns 503 should not be asked again", async () => {
    const image = await scriptedImage();
    const { host, access, registry, server } = await aPlainRegistry({ "a/b:1": image }, failing(1, 503), {
      maxAttempts: 1,
    });
    expect((await refusal(registry.digest(`${host}/a/b:1`, access))).code).toBe("Unavailable");
    expect(server.calls).toHaveLength(1);
  });

  test("When a registry never responds, it should time out", async () => {
    const options = { attemptTimeoutMs: 40, callTimeoutMs: 100 };
    const { host, access, registry } = await aPlainRegistry({}, () => () => undefined, options);
    expect((await refusal(registry.digest(`${host}/a/b:1`, access))).code).toBe("Timeout");
  });

  test("When a registry has not responded in time, it should be skipped for a while", async () => {
    let time = 0;
    let isSilent = true;
    const image = await scriptedImage();
    const guard = (): ApiScript | undefined => (isSilent ? () => undefined : undefined);
    // Long enough for the response at the end, on a busy machine as well.
    const options = { attemptTimeoutMs: 2_000, maxAttempts: 1, cooldownMs: 30_000, now: () => time };
    const { host, access, registry, server } = await aPlainRegistry({ "a/b:1": image }, guard, options);
    await refusal(registry.digest(`${host}/a/b:1`, access));
    const before = server.calls.length;
    isSilent = false;
    const again = await refusal(registry.digest(`${host}/a/b:1`, access));
    expect([again.code, server.calls.length]).toEqual(["Timeout", before]);
    const later = () => {
      time += 30_000;
      return registry.digest(`${host}/a/b:1`, access).catch(() => "still no response in time");
    };
    await expect.poll(later).toBe(image.digest);
  });

  test("When its batch is over, a request should end, no other be sent, and the registry not be skipped", async () => {
    const batch = new AbortController();
    const image = await scriptedImage();
    const guard = (): ApiScript | undefined =>
      batch.signal.aborted ? undefined : () => batch.abort(new DOMException("no time left", "TimeoutError"));
    const { host, access, registry, server } = await aPlainRegistry({ "a/b:1": image }, guard);
    await runUntil(batch.signal, async () => {
      expect((await refusal(registry.digest(`${host}/a/b:1`, access))).code).toBe("Aborted");
      expect((await refusal(registry.hasBlob(`${host}/a/b:1`, image.digest, access))).code).toBe("Aborted");
    });
    expect(server.calls).toHaveLength(1);
    expect(await registry.digest(`${host}/a/b:1`, access)).toBe(image.digest);
  });

  test("When the batch that began a request is over, another that waits for the response should still get it", async () => {
    const batch = new AbortController();
    const asked = Promise.withResolvers<void>();
    const image = await scriptedImage();
    const guard = (): ApiScript | undefined => (batch.signal.aborted ? undefined : () => asked.resolve());
    const { host, access, registry } = await aPlainRegistry({ "a/b:1": image }, guard);
    const digest = () => registry.digest(`${host}/a/b:1`, access);
    const first = refusal(runUntil(batch.signal, digest));
    const second = digest();
    await asked.promise;
    batch.abort();
    expect((await first).code).toBe("Aborted");
    expect(await second).toBe(image.digest);
  });

  test("When nothing listens, it should say so, with the host and without the credential", async () => {
    const pullSecret = pullSecretFor({ "127.0.0.1:1": secret });
    const error = await refusal(ociRegistry(quick).digest("127.0.0.1:1/a/b:1", { pullSecret }));
    expect(error.code).toBe("Unavailable");
    expect(error.message).toContain("127.0.0.1:1/a/b:1");
    expect(error.message).not.toContain(secret);
  });

  test("When a registry uses plain HTTP without permission, it should be rejected", async () => {
    const { host, registry } = await aPlainRegistry({});
    expect((await refusal(registry.digest(`${host}/a/b:1`))).code).toBe("Untrusted");
  });

  test("When content does not match its digest, it should be rejected", async () => {
    const image = await scriptedImage({ layers: [{ file: "right" }] });
    const forged = await scriptedImage({ layers: [{ file: "wrong" }] });
    const [layer = ""] = [...image.blobs.keys()];
    const [other] = [...forged.blobs.values()];
    const guard = ({ path }: ApiCall): ApiScript | undefined =>
      path.endsWith(layer) ? (_, response) => response.writeHead(200).end(other) : undefined;
    const { host, access, registry } = await aRegistry({ "a/b:1": image }, guard);
    const reading = registry.files(`${host}/a/b:1`, ["file"], access);
    expect((await refusal(reading)).code).toBe("InvalidResponse");
    const wrong = await aRegistry({}, () => (_, response) => response.writeHead(200).end(forged.manifest));
    const named = wrong.registry.image(`${wrong.host}/a/b@${image.digest}`, wrong.access);
    expect((await refusal(named)).code).toBe("InvalidResponse");
  });

  test.for(["sha256", "sha512", "md5"])(
    "When a registry sends another %s digest than that of the content, it should be rejected",
    async (algorithm) => {
      const image = await scriptedImage();
      const sent = `${algorithm}:${"0".repeat(64)}`;
      const { host, access, registry } = await aRegistry({}, ({ method }) => (_, response) => {
        response
          .writeHead(200, { "docker-content-digest": sent })
          .end(method === "HEAD" ? undefined : image.manifest);
      });
      const error = await refusal(registry.image(`${host}/a/b:1`, access));
      expect(error).toMatchObject({ code: "InvalidResponse", message: expect.stringContaining(sent) });
      expect((await refusal(registry.image(`${host}/a/b@${image.digest}`, access))).code).toBe(
        "InvalidResponse",
      );
    },
  );

  test.for([404, 200])(
    "When the digest of a tag is not that of the content and its request gives %i, it should be rejected",
    async (status) => {
      const image = await scriptedImage();
      const sent = `sha256:${"0".repeat(64)}`;
      const { host, access, registry } = await aRegistry({}, ({ method }) => (_, response) => {
        if (method === "HEAD") response.writeHead(200, { "docker-content-digest": sent }).end();
        else response.writeHead(status).end(image.manifest);
      });
      expect((await refusal(registry.digest(`${host}/a/b:1`, access))).code).toBe("InvalidResponse");
    },
  );

  test.for([undefined, "", "latest", "sha256:0123", `md5:${"0".repeat(32)}`])(
    "When the digest in a header is %j, the digest of a tag should be that of its content",
    async (sent) => {
      const image = await scriptedImage();
      const { host, access, registry } = await aRegistry({}, ({ method }) => (_, response) => {
        response
          .writeHead(200, method === "HEAD" && sent !== undefined ? { "docker-content-digest": sent } : {})
          .end(method === "HEAD" ? undefined : image.manifest);
      });
      expect(await registry.digest(`${host}/a/b:1`, access)).toBe(image.digest);
    },
  );

  test.for(["quay.io", "acme/app:v1", "quay.io/Acme/app:v1", "quay.io/acme/app@sha256:12", ""])(
    "When an image is named as %j, it should be rejected before any request",
    async (image) => {
      expect((await refusal(ociRegistry().digest(image))).code).toBe("InvalidReference");
    },
  );
});
