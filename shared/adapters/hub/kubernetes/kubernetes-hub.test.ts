import { describe, expect, onTestFinished, test } from "vitest";
import { failedRequest } from "../../../../test/support/hub/failed-request.ts";
import {
  type ApiScript,
  kubeConfigFor,
  respondJson,
  respondStatus,
  type ScriptedApi,
  scriptedApi,
} from "../../../../test/support/servers/scripted-api.ts";
import { kinds } from "../../../domain/kubernetes/object.ts";
import type { HubError } from "../../../ports/hub.ts";
import { runUntil } from "../../network/batch-signal.ts";
import { hubLimits } from "./api-limits.ts";
import { type KubernetesHub, type KubernetesHubOptions, kubernetesHub } from "./kubernetes-hub.ts";

type System = Readonly<{ hub: KubernetesHub; api: ScriptedApi }>;

async function aSystem(
  script: ApiScript,
  options: KubernetesHubOptions = {},
  token = "first",
): Promise<System> {
  const api = await scriptedApi(script);
  const hub = kubernetesHub(kubeConfigFor(api.url, { token }), options);
  onTestFinished(() => hub.close());
  return { hub, api };
}

const anImage = (resourceVersion = "1") => ({
  apiVersion: "config.openshift.io/v1",
  kind: "Image",
  metadata: { name: "cluster", uid: "u1", resourceVersion },
  spec: {},
});

describe("rejected credentials", () => {
  const onlyWith =
    (token: string): ApiScript =>
    ({ headers }, response) =>
      headers.authorization === `Bearer ${token}`
        ? respondJson(response, 200, anImage())
        : respondStatus(response, 401, "Unauthorized");

  test("When the kubeconfig has a newer token, it should be read again once for all waiting requests", async () => {
    let reads = 0;
    const api = await scriptedApi(onlyWith("second"));
    const reload = async () => {
      reads++;
      return kubeConfigFor(api.url, { token: "second" });
    };
    const hub = kubernetesHub(kubeConfigFor(api.url, { token: "first" }), { reload });
    onTestFinished(() => hub.close());
    const found = await Promise.all([1, 2, 3, 4, 5].map(() => hub.get(kinds.Image, "cluster")));
    expect(found.map((image) => image?.metadata.name)).toEqual(Array(5).fill("cluster"));
    expect(reads).toBe(1);
    await hub.create({ apiVersion: "config.openshift.io/v1", kind: "Image", metadata: { name: "cluster" } });
    expect(reads).toBe(1);
  });

  test("When a write is rejected, it should be sent again with the newer token, once", async () => {
    const api = await scriptedApi(onlyWith("second"));
    const hub = kubernetesHub(kubeConfigFor(api.url, { token: "first" }), {
      reload: () => kubeConfigFor(api.url, { token: "second" }),
    });
    onTestFinished(() => hub.close());
    await hub.update(anImage());
    expect(api.calls.map(({ method, headers }) => `${method} ${headers.authorization}`)).toEqual([
      "PUT Bearer first",
      "PUT Bearer second",
    ]);
  });

  test("When they cannot be read again, it should be unauthorized", async () => {
    const { hub, api } = await aSystem(onlyWith("second"));
    expect((await failedRequest(hub.get(kinds.Image, "cluster"))).code).toBe("Unauthorized");
    expect(api.calls).toHaveLength(1);
  });

  test("When a login is accepted again, it should no longer count as rejected", async () => {
    let token = "second";
    const { hub } = await aSystem((call, response) => onlyWith(token)(call, response));
    expect(hub.isLoginRejected()).toBe(false);
    await failedRequest(hub.get(kinds.Image, "cluster"));
    expect(hub.isLoginRejected()).toBe(true);
    token = "first";
    await hub.get(kinds.Image, "cluster");
    expect(hub.isLoginRejected()).toBe(false);
  });

  test("When they are the same again, it should be unauthorized, after one more attempt", async () => {
    const api = await scriptedApi(onlyWith("second"));
    const load = () => kubeConfigFor(api.url, { token: "first" });
    const hub = kubernetesHub(load(), { reload: load });
    onTestFinished(() => hub.close());
    expect((await failedRequest(hub.get(kinds.Image, "cluster"))).code).toBe("Unauthorized");
    expect(api.calls).toHaveLength(2);
  });

  test("When the hub has moved, it should follow the kubeconfig", async () => {
    const moved = await scriptedApi(onlyWith("second"));
    const reload = () => kubeConfigFor(moved.url, { token: "second" });
    const { hub } = await aSystem(onlyWith("second"), { reload });
    expect(await hub.get(kinds.Image, "cluster")).toEqual(anImage());
    expect(moved.calls).toHaveLength(1);
  });

  test("When the kubeconfig is gone, it should be unauthorized and say why", async () => {
    const reload = () => {
      throw new Error("the file is gone\nand its last content was token: hush");
    };
    const { hub } = await aSystem((_, response) => respondStatus(response, 401, "Unauthorized"), { reload });
    const error = await failedRequest(hub.get(kinds.Image, "cluster"));
    expect(error.code).toBe("Unauthorized");
    expect(error.message).toContain("the file is gone");
    expect(error.message).not.toContain("hush");
  });
});

describe("a list", () => {
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ metadata: { name: `${prefix}-${index}` } }));
  const page = (items: readonly unknown[], token = "") => ({
    kind: "List",
    metadata: { resourceVersion: "9", continue: token },
    items,
  });

  test("When it has pages, it should be whole and sorted, with the kind of each object", async () => {
    const { hub, api } = await aSystem(({ query }, response) =>
      respondJson(
        response,
        200,
        query.continue === "next" ? page(names("a", 2)) : page(names("b", 500), "next"),
      ),
    );
    const listed = await hub.list(kinds.Image);
    expect(listed).toHaveLength(502);
    expect(listed.slice(0, 2).map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      "Image/a-0",
      "Image/a-1",
    ]);
    expect(api.calls.map(({ query }) => query)).toEqual([
      { limit: "500" },
      { limit: "500", continue: "next" },
    ]);
  });

  test("When its cache is enough, the server should be asked for that, and only for the first page", async () => {
    const { hub, api } = await aSystem(({ query }, response) =>
      respondJson(response, 200, query.continue ? page(names("a", 1)) : page(names("b", 1), "next")),
    );
    expect(await hub.list(kinds.Image, { fromCache: true })).toHaveLength(2);
    expect(api.calls.map(({ query }) => query)).toEqual([
      { limit: "500", resourceVersion: "0" },
      { limit: "500", continue: "next" },
    ]);
  });

  test("When metadata is enough, the server should be asked for no more", async () => {
    const { hub, api } = await aSystem((_, response) => respondJson(response, 200, page(names("a", 1))));
    const [listed] = await hub.list(kinds.Image, { metadataOnly: true });
    expect(listed).toMatchObject({ kind: "Image", metadata: { name: "a-0" } });
    expect(api.calls[0]?.headers.accept).toMatch(/^application\/json;as=PartialObjectMetadataList;/);
  });

  test("When its version expires between pages, it should start again in pages, and drop the first ones", async () => {
    let lists = 0;
    const { hub, api } = await aSystem(({ query }, response) => {
      if (query.continue === "old") respondStatus(response, 410, "Expired");
      else if (query.continue) respondJson(response, 200, page(names("b", 3)));
      else
        respondJson(response, 200, ++lists === 1 ? page(names("a", 500), "old") : page(names("b", 0), "new"));
    });
    expect((await hub.list(kinds.Image)).map(({ metadata }) => metadata.name)).toEqual(["b-0", "b-1", "b-2"]);
    // A hundred thousand objects in one response would not fit into the memory of a pod.
    expect(api.calls.map(({ query }) => query.limit)).toEqual(["500", "500", "500", "500"]);
  });

  test("When its version expires each time, it should fail after the second restart", async () => {
    const { hub, api } = await aSystem(({ query }, response) => {
      if (query.continue) respondStatus(response, 410, "Expired");
      else respondJson(response, 200, page(names("a", 500), "next"));
    });
    expect((await failedRequest(hub.list(kinds.Image))).message).toContain("list Image");
    expect(api.calls).toHaveLength(6);
  });

  test("When it never ends, it should fail after its last page", async () => {
    const { hub, api } = await aSystem(
      (_, response) => respondJson(response, 200, page(names("a", 1), "next")),
      {
        limits: { ...hubLimits, listPages: 3 },
      },
    );
    expect((await failedRequest(hub.list(kinds.Image))).message).toBe(
      "list Image: the list does not end after 3 pages",
    );
    expect(api.calls).toHaveLength(3);
  });

  test("When its version expires each time in the middle, the pages of all attempts should count", async () => {
    const { hub, api } = await aSystem(
      ({ query }, response) =>
        query.continue
          ? respondStatus(response, 410, "Expired")
          : respondJson(response, 200, page([], "old")),
      { limits: { ...hubLimits, listPages: 4 } },
    );
    expect((await failedRequest(hub.list(kinds.Image))).message).toContain("after 4 pages");
    expect(api.calls).toHaveLength(4);
  });

  test("When each page comes in time but the list never ends, its own deadline should end it", async () => {
    const { hub } = await aSystem((_, response) => respondJson(response, 200, page(names("a", 1), "next")), {
      limits: { ...hubLimits, listPages: Number.POSITIVE_INFINITY, listMs: 200 },
    });
    const error = await failedRequest(hub.list(kinds.Image));
    expect({ code: error.code, message: error.message }).toEqual({
      code: "Timeout",
      message: expect.stringContaining("list Image: the hub did not respond in time"),
    });
  });

  test("When a hundred thousand objects are listed, the limits of a hub should permit it", async () => {
    const { hub } = await aSystem(({ query }, response) => {
      const next = Number(query.continue ?? 0) + 1;
      respondJson(response, 200, page(names(`n${next}`, 500), next < 200 ? String(next) : ""));
    });
    expect(await hub.list(kinds.Image)).toHaveLength(100_000);
  });

  test.for([
    { title: "a page of a login", body: "<html>", code: "Unavailable" },
    {
      title: "an object without a name",
      body: JSON.stringify(page([{ metadata: {} }])),
      code: "Unavailable",
    },
    { title: "no items", body: "{}", code: "Unavailable" },
    { title: "half of a list", body: JSON.stringify(page(names("a", 2))).slice(0, -9), code: "Unavailable" },
  ])("When the response is $title, it should fail rather than be empty", async ({ body, code }) => {
    const { hub } = await aSystem((_, response) => response.writeHead(200).end(body));
    expect((await failedRequest(hub.list(kinds.Image))).code).toBe(code);
  });
});

describe("a response that never ends", () => {
  /** Sends until the reader hangs up. */
  const endless =
    (status: number): ApiScript =>
    (_, response) => {
      response.writeHead(status, { "content-type": "application/json" });
      const more = () => {
        while (!response.destroyed && response.write(" ".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    };

  test.for([200, 500])(
    "When a response with status %i never ends, it should fail at the limit",
    async (status) => {
      const { hub } = await aSystem(endless(status), {
        requestTimeoutMs: 20_000,
        limits: { ...hubLimits, responseBytes: 1_000_000 },
      });
      const error = await failedRequest(hub.get(kinds.Image, "cluster"));
      expect({ code: error.code, message: error.message }).toEqual({
        code: "Unavailable",
        message: "get Image/cluster: the response is longer than 1000000 bytes",
      });
    },
  );
});

describe("network errors", () => {
  test("When the server had closed an idle connection, a read should be sent again", async () => {
    let isFirst = true;
    const { hub, api } = await aSystem((_, response) => {
      if (isFirst) response.destroy();
      else respondJson(response, 200, anImage());
      isFirst = false;
    });
    expect(await hub.get(kinds.Image, "cluster")).toEqual(anImage());
    expect(api.calls).toHaveLength(2);
  });

  test("When a write is cut off, it should not be sent again: it may have been done", async () => {
    const { hub, api } = await aSystem((_, response) => response.destroy());
    expect((await failedRequest(hub.update(anImage()))).code).toBe("Unavailable");
    expect(api.calls).toHaveLength(1);
  });

  test("When there is no response, it should time out", async () => {
    const { hub } = await aSystem(() => undefined, { requestTimeoutMs: 100 });
    const error = await failedRequest(hub.get(kinds.Image, "cluster"));
    expect(error.code).toBe("Timeout");
    expect(error.message).toMatch(/^get Image\/cluster: /);
  });

  test("When its batch has timed out, a running request should end, and no other be sent", async () => {
    const batch = new AbortController();
    const { hub, api } = await aSystem(() => batch.abort(new DOMException("no time left", "TimeoutError")));
    await runUntil(batch.signal, async () => {
      expect((await failedRequest(hub.get(kinds.Image, "cluster"))).message).toBe(
        "get Image/cluster: the hub did not respond in time (TimeoutError: no time left)",
      );
      expect((await failedRequest(hub.update(anImage()))).code).toBe("Timeout");
    });
    expect(api.calls).toHaveLength(1);
  });

  test("When nothing listens, it should name the address", async () => {
    const hub = kubernetesHub(kubeConfigFor("http://127.0.0.1:1"));
    const error = await failedRequest(hub.get(kinds.Image, "cluster"));
    expect(error.code).toBe("Unavailable");
    expect(error.message).toBe(
      "get Image/cluster: the hub cannot be reached (connect ECONNREFUSED 127.0.0.1:1)",
    );
  });

  test.for([
    { rejections: 0, calls: 1, ends: "success" },
    { rejections: 4, calls: 5, ends: "success" },
    { rejections: 5, calls: 5, ends: "TooManyRequests" },
  ])(
    "When the server rejects $rejections attempts for now, the write should end with $ends",
    async ({ rejections, calls, ends }) => {
      const { hub, api } = await aSystem((_, response) =>
        api.calls.length > rejections
          ? respondJson(response, 200, anImage())
          : respondStatus(response, 429, "TooManyRequests", { headers: { "retry-after": "0" } }),
      );
      const result = await hub.update(anImage()).then(
        () => "success",
        (error: HubError) => error.code,
      );
      expect([result, api.calls.length]).toEqual([ends, calls]);
    },
  );

  test("When the server sends a long Retry-After, the error should have it", async () => {
    const { hub } = await aSystem((_, response) =>
      respondStatus(response, 429, "TooManyRequests", { headers: { "retry-after": "12" } }),
    );
    const error = await failedRequest(hub.get(kinds.Image, "cluster"));
    expect({ code: error.code, seconds: error.retryAfterSeconds }).toEqual({
      code: "TooManyRequests",
      seconds: 12,
    });
  });

  test("When a proxy returns its own page for 404, nothing should seem absent", async () => {
    const { hub } = await aSystem((_, response) => response.writeHead(404).end("<html>not here</html>"));
    expect((await failedRequest(hub.get(kinds.Image, "cluster"))).code).toBe("Unavailable");
    expect((await failedRequest(hub.list(kinds.Image))).code).toBe("Unavailable");
  });

  test("When it redirects, credentials should not follow", async () => {
    const elsewhere = await scriptedApi((_, response) => respondJson(response, 200, anImage()));
    const { hub } = await aSystem((_, response) =>
      response.writeHead(302, { location: elsewhere.url }).end(),
    );
    expect((await failedRequest(hub.get(kinds.Image, "cluster"))).code).toBe("Unavailable");
    expect(elsewhere.calls).toEqual([]);
  });
});

describe("requests", () => {
  test("When many are made, they should share connections and have the user agent", async () => {
    const { hub, api } = await aSystem((_, response) => respondJson(response, 200, anImage()), {
      userAgent: "hubrelay/1.2.3",
    });
    for (let turn = 0; turn < 50; turn++) await hub.get(kinds.Image, "cluster");
    expect(api.connections()).toBeLessThanOrEqual(2);
    expect(api.calls[49]?.headers).toMatchObject({
      authorization: "Bearer first",
      "user-agent": "hubrelay/1.2.3",
    });
  });

  test("When an object is deleted, its uid and version should be preconditions", async () => {
    const { hub, api } = await aSystem((_, response) => respondJson(response, 200, { kind: "Status" }));
    await hub.delete({ ...anImage(), name: "cluster", uid: "u1", resourceVersion: "7" });
    expect(JSON.parse(api.calls[0]?.body ?? "")).toMatchObject({
      kind: "DeleteOptions",
      preconditions: { uid: "u1", resourceVersion: "7" },
    });
  });

  test("When a name in a reference is forged, no request should be made", async () => {
    const { hub, api } = await aSystem((_, response) => respondJson(response, 200, anImage()));
    const name = "../../../../api/v1/namespaces/kube-system/secrets/admin";
    expect(await hub.get(kinds.Image, name)).toBeUndefined();
    expect(
      (await failedRequest(hub.delete({ apiVersion: "config.openshift.io/v1", kind: "Image", name }))).code,
    ).toBe("Invalid");
    expect(api.calls).toEqual([]);
  });

  test("When a version is missing, no request should be made: built-in kinds would accept it", async () => {
    const { hub, api } = await aSystem((_, response) => respondJson(response, 200, anImage()));
    const event = { apiVersion: "v1", kind: "Event", metadata: { namespace: "default", name: "a" } };
    expect((await failedRequest(hub.update(event))).code).toBe("Invalid");
    expect(api.calls).toEqual([]);
  });

  test("When a user has a password, it should be in the header", async () => {
    const api = await scriptedApi((_, response) => respondJson(response, 200, anImage()));
    const hub = kubernetesHub(kubeConfigFor(api.url, { username: "somebody", password: "hush" }));
    onTestFinished(() => hub.close());
    await hub.get(kinds.Image, "cluster");
    expect(api.calls[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from("somebody:hush").toString("base64")}`,
    );
  });
});
