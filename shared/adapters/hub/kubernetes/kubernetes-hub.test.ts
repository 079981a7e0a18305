import { describe, expect, onTestFinished, test } from "vitest";
import { failedRequest } from "../../../../test/support/hub/failed-request.ts";
import {
  type ApiScript,
  kubeConfigFor,
  respondJson,
  respondStatus,
  scriptedApi,
} from "../../../../test/support/servers/scripted-api.ts";
import { clusterImage, scriptedHub } from "../../../../test/support/servers/scripted-hub.ts";
import { kinds } from "../../../domain/kubernetes/object.ts";
import { runUntil } from "../../network/requests.ts";
import { hubLimits } from "./connection.ts";
import { kubernetesHub } from "./kubernetes-hub.ts";

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
      const { hub } = await scriptedHub(endless(status), {
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
    const { hub, api } = await scriptedHub((_, response) => {
      if (isFirst) response.destroy();
      else respondJson(response, 200, clusterImage);
      isFirst = false;
    });
    expect(await hub.get(kinds.Image, "cluster")).toEqual(clusterImage);
    expect(api.calls).toHaveLength(2);
  });

  test("When a write is cut off, it should not be sent again: it may have been done", async () => {
    const { hub, api } = await scriptedHub((_, response) => response.destroy());
    expect((await failedRequest(hub.update(clusterImage))).code).toBe("Unavailable");
    expect(api.calls).toHaveLength(1);
  });

  test("When there is no response, it should time out", async () => {
    const { hub } = await scriptedHub(() => undefined, { requestTimeoutMs: 100 });
    const error = await failedRequest(hub.get(kinds.Image, "cluster"));
    expect(error.code).toBe("Timeout");
    expect(error.message).toMatch(/^get Image\/cluster: /);
  });

  test("When its batch has timed out, a running request should end, and no other be sent", async () => {
    const batch = new AbortController();
    const { hub, api } = await scriptedHub(() =>
      batch.abort(new DOMException("no time left", "TimeoutError")),
    );
    await runUntil(batch.signal, async () => {
      expect((await failedRequest(hub.get(kinds.Image, "cluster"))).message).toBe(
        "get Image/cluster: the hub did not respond in time (TimeoutError: no time left)",
      );
      expect((await failedRequest(hub.update(clusterImage))).code).toBe("Timeout");
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

  test("When the server rejects a write for now, it should be sent again", async () => {
    const { hub, api } = await scriptedHub((_, response) =>
      api.calls.length > 1
        ? respondJson(response, 200, clusterImage)
        : respondStatus(response, 429, "TooManyRequests", { headers: { "retry-after": "0" } }),
    );
    await hub.update(clusterImage);
    expect(api.calls).toHaveLength(2);
  });

  test("When a proxy returns its own page for 404, nothing should seem absent", async () => {
    const { hub } = await scriptedHub((_, response) => response.writeHead(404).end("<html>not here</html>"));
    expect((await failedRequest(hub.get(kinds.Image, "cluster"))).code).toBe("Unavailable");
    expect((await failedRequest(hub.list(kinds.Image))).code).toBe("Unavailable");
  });

  test("When it redirects, credentials should not follow", async () => {
    const elsewhere = await scriptedApi((_, response) => respondJson(response, 200, clusterImage));
    const { hub } = await scriptedHub((_, response) =>
      response.writeHead(302, { location: elsewhere.url }).end(),
    );
    expect((await failedRequest(hub.get(kinds.Image, "cluster"))).code).toBe("Unavailable");
    expect(elsewhere.calls).toEqual([]);
  });
});

describe("requests", () => {
  test("When many are made, they should share connections and have the user agent", async () => {
    const { hub, api } = await scriptedHub((_, response) => respondJson(response, 200, clusterImage), {
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
    const { hub, api } = await scriptedHub((_, response) => respondJson(response, 200, { kind: "Status" }));
    await hub.delete({ ...clusterImage, name: "cluster", uid: "u1", resourceVersion: "7" });
    expect(JSON.parse(api.calls[0]?.body ?? "")).toMatchObject({
      kind: "DeleteOptions",
      preconditions: { uid: "u1", resourceVersion: "7" },
    });
  });

  test("When a name in a reference is forged, no request should be made", async () => {
    const { hub, api } = await scriptedHub((_, response) => respondJson(response, 200, clusterImage));
    const name = "../../../../api/v1/namespaces/kube-system/secrets/admin";
    expect(await hub.get(kinds.Image, name)).toBeUndefined();
    expect(
      (await failedRequest(hub.delete({ apiVersion: "config.openshift.io/v1", kind: "Image", name }))).code,
    ).toBe("Invalid");
    expect(api.calls).toEqual([]);
  });

  test("When a version is missing, no request should be made: built-in kinds would accept it", async () => {
    const { hub, api } = await scriptedHub((_, response) => respondJson(response, 200, clusterImage));
    const event = { apiVersion: "v1", kind: "Event", metadata: { namespace: "default", name: "a" } };
    expect((await failedRequest(hub.update(event))).code).toBe("Invalid");
    expect(api.calls).toEqual([]);
  });

  test("When a user has a password, it should be in the header", async () => {
    const api = await scriptedApi((_, response) => respondJson(response, 200, clusterImage));
    const hub = kubernetesHub(kubeConfigFor(api.url, { username: "somebody", password: "hush" }));
    onTestFinished(() => hub.close());
    await hub.get(kinds.Image, "cluster");
    expect(api.calls[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from("somebody:hush").toString("base64")}`,
    );
  });
});

test.for([200, 404, 503])(
  "When a response with status %i has the hub's time, the hub should know it",
  async (status) => {
    const ahead = 3_600_000;
    const { hub } = await scriptedHub((_, response) => {
      response.setHeader("date", new Date(Date.now() + ahead).toUTCString());
      if (status === 200) respondJson(response, 200, clusterImage);
      else respondStatus(response, status, "");
    });
    expect(hub.time?.()).toBeUndefined();
    await hub.get(kinds.Image, "cluster").catch(() => undefined);
    expect(Math.abs(Number(hub.time?.()) - Date.now() - ahead)).toBeLessThan(Math.abs(ahead) / 2);
  },
);
