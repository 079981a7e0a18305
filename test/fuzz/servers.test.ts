import { createServer, type Server } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ociRegistry } from "#shared/adapters/oci/oci-registry.ts";
import { httpUpdateGraph } from "#shared/adapters/update-graph/http-update-graph.ts";
import { readyStatuses } from "#shared/domain/ready/judge.ts";
import { type RegistryAccess, RegistryError } from "#shared/ports/registry.ts";
import { checkImages } from "#shared/registry/ready/check-images.ts";
import { listenOnFreePort } from "../support/servers/free-port.ts";

type Response = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;

let server: Server;
let responses: readonly Response[] = [];
let requests = 0;
let host = "";
beforeAll(async () => {
  server = createServer((_request, response) => {
    const { status, headers, body } = responses[requests++ % responses.length] ?? {
      status: 500,
      headers: {},
      body: "",
    };
    response.writeHead(status, headers).end(body);
  });
  host = `127.0.0.1:${await listenOnFreePort(server)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const digest = `sha256:${"a".repeat(64)}`;
const field = fc.oneof(
  fc.constantFrom<unknown>(
    digest,
    "sha256:0",
    "application/vnd.oci.image.index.v1+json",
    -1,
    1e308,
    null,
    [],
    {},
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
/** Bodies near those of a registry or an update graph, and any others. */
const body = fc.oneof(
  fc
    .record(
      {
        mediaType: field,
        schemaVersion: field,
        config: fc.oneof(field, fc.record({ digest: field, size: field, mediaType: field })),
        layers: fc.oneof(
          field,
          fc.array(fc.record({ digest: field, size: field, mediaType: field }), { maxLength: 3 }),
        ),
        manifests: fc.oneof(field, fc.array(fc.record({ digest: field, platform: field }), { maxLength: 3 })),
        nodes: fc.oneof(
          field,
          fc.array(fc.record({ version: fc.oneof(field, fc.constant("4.20.3")), payload: field })),
        ),
        tags: field,
        token: field,
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string(),
);
const header = fc.stringMatching(/^[\x20-\x7e]{0,40}$/);
const headers = fc.record(
  {
    "docker-content-digest": fc.oneof(fc.constant(digest), header),
    "www-authenticate": fc.oneof(
      fc.constantFrom(
        'Bearer realm="http://127.0.0.1:1/t"',
        'Bearer realm="file:///etc/passwd"',
        "Basic",
        'Bearer realm="',
      ),
      header,
    ),
    location: fc.oneof(fc.constantFrom("/v2/", "//", "http://127.0.0.1:1/", "file:///etc/passwd"), header),
    etag: header,
    "content-type": header,
    "retry-after": fc.constantFrom("0", "x", "-1"),
  },
  { requiredKeys: [] },
);
const status = fc.constantFrom(
  ...[200, 200, 200, 201, 204, 301, 302, 304, 307, 400, 401, 403, 404, 429, 500, 503],
);
const scripts = fc.array(fc.record({ status, headers, body }), { minLength: 1, maxLength: 4 });

/** Returns the error of an unsuccessful call. */
const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

test("When a registry responds with anything, each call should end in time with a result or a RegistryError", async () => {
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      responses = script;
      requests = 0;
      const retryMs = { first: 1, max: 1 };
      const registry = ociRegistry({ retryMs, attemptTimeoutMs: 2_000, callTimeoutMs: 4_000, cooldownMs: 1 });
      const name = `${host}/a/b:1`;
      const access: RegistryAccess = { insecureHosts: [host] };
      const calls = [
        registry.digest(name, access),
        registry.image(name, access),
        registry.files(name, ["a"], access),
        registry.manifest(name, access),
        registry.hasBlob(name, digest, access),
        registry.signatures(name, digest, access),
        registry.visitFolder(name, "configs", () => {}, access),
      ];
      for (const error of await Promise.all(calls.map(errorOf)))
        if (error !== undefined) expect(error).toBeInstanceOf(RegistryError);
      registry.close();
      expect(requests).toBeGreaterThan(0);
      // Each call sends a few requests, with redirects, tokens and repetitions.
      expect(requests).toBeLessThan(1_000);
    }),
    // The claims tier breaks what this needs, also where a machine is slow.
    { numRuns: 60, examples: [[[{ status: 200, headers: {}, body: "no JSON" }]]] },
  );
});

test("When a registry responds with anything, every image should be judged with a status, and nothing asked for without end", async () => {
  await fc.assert(
    fc.asyncProperty(scripts, fc.boolean(), async (script, isSigned) => {
      responses = script;
      requests = 0;
      const retryMs = { first: 1, max: 1 };
      const contents = ociRegistry({
        retryMs,
        maxAttempts: 2,
        attemptTimeoutMs: 2_000,
        callTimeoutMs: 4_000,
        cooldownMs: 1,
      });
      const signing = {
        image: { repository: "quay.io/a/b", digest },
        requirements: [{ type: "sigstoreSigned" }],
      };
      const location = {
        isMirror: true,
        insecure: true,
        skipped: undefined,
        name: 0,
        ...(isSigned ? { signing } : {}),
      };
      const routes = ["a/b:1", `a/b@${digest}`].map((path) => ({
        image: path,
        locations: [{ ...location, reference: `${host}/${path}` }],
      }));
      const { images } = await checkImages(routes, {
        contents,
        access: {},
        architectures: ["amd64", "arm64"],
        depth: "blobs",
      });
      contents.close();
      for (const { status } of images) expect(readyStatuses).toContain(status);
      expect(requests).toBeLessThan(1000);
    }),
    { numRuns: 60 },
  );
});

test("When an update graph responds with anything, it should return an image or a message", async () => {
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      responses = script;
      requests = 0;
      const graph = httpUpdateGraph({ environment: {}, userAgent: "test", timeoutMs: 2_000 });
      const upstream = `http://${host}/graph`;
      const response = await graph.ask({ upstream, channel: "stable-4.20", version: "4.20.3" });
      graph.close();
      expect(requests).toBeGreaterThan(0);
      if (!response.ok) expect(response.message).not.toBe("");
      else expect(["string", "undefined"]).toContain(typeof response.image);
    }),
    { numRuns: 100 },
  );
});
