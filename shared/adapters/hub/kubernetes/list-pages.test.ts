import { describe, expect, test } from "vitest";
import { failedRequest } from "../../../../test/support/hub/failed-request.ts";
import { respondJson, respondStatus } from "../../../../test/support/servers/scripted-api.ts";
import { scriptedHub } from "../../../../test/support/servers/scripted-hub.ts";
import { kinds } from "../../../domain/kubernetes/object.ts";
import { hubLimits } from "./connection.ts";

describe("a list", () => {
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ metadata: { name: `${prefix}-${index}` } }));
  const page = (items: readonly unknown[], token = "") => ({
    kind: "List",
    metadata: { resourceVersion: "9", continue: token },
    items,
  });

  test("When it has pages, it should be whole and sorted, with the kind of each object", async () => {
    const { hub, api } = await scriptedHub(({ query }, response) =>
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
    const { hub, api } = await scriptedHub(({ query }, response) =>
      respondJson(response, 200, query.continue ? page(names("a", 1)) : page(names("b", 1), "next")),
    );
    expect(await hub.list(kinds.Image, { fromCache: true })).toHaveLength(2);
    expect(api.calls.map(({ query }) => query)).toEqual([
      { limit: "500", resourceVersion: "0" },
      { limit: "500", continue: "next" },
    ]);
  });

  test("When metadata is enough, the server should be asked for no more", async () => {
    const { hub, api } = await scriptedHub((_, response) => respondJson(response, 200, page(names("a", 1))));
    const [listed] = await hub.list(kinds.Image, { metadataOnly: true });
    expect(listed).toMatchObject({ kind: "Image", metadata: { name: "a-0" } });
    expect(api.calls[0]?.headers.accept).toMatch(/^application\/json;as=PartialObjectMetadataList;/);
  });

  test("When its version expires between pages, it should start again in pages, and drop the first ones", async () => {
    let lists = 0;
    const { hub, api } = await scriptedHub(({ query }, response) => {
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
    const { hub, api } = await scriptedHub(({ query }, response) => {
      if (query.continue) respondStatus(response, 410, "Expired");
      else respondJson(response, 200, page(names("a", 500), "next"));
    });
    expect((await failedRequest(hub.list(kinds.Image))).message).toContain("list Image");
    expect(api.calls).toHaveLength(6);
  });

  test("When it never ends, it should fail after its last page", async () => {
    const { hub, api } = await scriptedHub(
      (_, response) => respondJson(response, 200, page(names("a", 1), "next")),
      { limits: { ...hubLimits, listPages: 3 } },
    );
    expect((await failedRequest(hub.list(kinds.Image))).message).toBe(
      "list Image: the list does not end after 3 pages",
    );
    expect(api.calls).toHaveLength(3);
  });

  test("When its version expires each time in the middle, the pages of all attempts should count", async () => {
    const { hub, api } = await scriptedHub(
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
    const { hub } = await scriptedHub(
      (_, response) => respondJson(response, 200, page(names("a", 1), "next")),
      { limits: { ...hubLimits, listPages: Number.POSITIVE_INFINITY, listMs: 200 } },
    );
    const error = await failedRequest(hub.list(kinds.Image));
    expect({ code: error.code, message: error.message }).toEqual({
      code: "Timeout",
      message: expect.stringContaining("list Image: the hub did not respond in time"),
    });
  });

  test("When a hundred thousand objects are listed, the limits of a hub should permit it", async () => {
    const { hub } = await scriptedHub(({ query }, response) => {
      const next = Number(query.continue ?? 0) + 1;
      respondJson(response, 200, page(names(`n${next}`, 500), next < 200 ? String(next) : ""));
    });
    expect(await hub.list(kinds.Image)).toHaveLength(100_000);
  });

  test.for([
    ["a page of a login", "<html>", "Unavailable"],
    ["an object without a name", JSON.stringify(page([{ metadata: {} }])), "Unavailable"],
    ["no items", "{}", "Unavailable"],
    ["half of a list", JSON.stringify(page(names("a", 2))).slice(0, -9), "Unavailable"],
  ] as const)("When the response is $0, it should fail rather than be empty", async ([, body, code]) => {
    const { hub } = await scriptedHub((_, response) => response.writeHead(200).end(body));
    expect((await failedRequest(hub.list(kinds.Image))).code).toBe(code);
  });
});
