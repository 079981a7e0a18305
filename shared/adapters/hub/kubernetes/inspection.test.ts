import { expect, onTestFinished, test } from "vitest";
import { kubeConfigFor } from "../../../../test/support/servers/scripted-api.ts";
import { type HubApiScript, scriptedHubApi } from "../../../../test/support/servers/scripted-hub-api.ts";
import { connect } from "./connection.ts";
import { inspection } from "./inspection.ts";

async function anInspection(script: HubApiScript) {
  const api = await scriptedHubApi(script);
  const settings = { userAgent: "hubrelay", requestTimeoutMs: 5_000, environment: {} };
  const connection = connect(kubeConfigFor(api.url), settings);
  onTestFinished(() => connection.close());
  return { api, hub: inspection(connection) };
}

const served = {
  "config.openshift.io/v1": ["images"],
  v1: ["events"],
  "old.example.com/v1beta1": ["things"],
};

test("When a hub is inspected, it should return version, clock and user", async () => {
  const { hub } = await anInspection({ served, aheadMs: 3_600_000 });
  const { version, serverTime } = await hub.version();
  expect(version).toBe("v1.33.2");
  expect((serverTime?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3_590_000);
  expect(await hub.user()).toBe("jo");
});

test("When resources are listed, an absent group version should differ from an empty one", async () => {
  const { hub } = await anInspection({ served });
  expect(await hub.resources("config.openshift.io/v1")).toEqual(new Set(["images"]));
  expect(await hub.resources("v1")).toEqual(new Set(["events"]));
  expect(await hub.resources("old.example.com/v1")).toBeUndefined();
});

test("When a permission is checked, it should send exactly that", async () => {
  const { hub, api } = await anInspection({ served, refused: ["update images"] });
  const access = { verb: "update", group: "config.openshift.io", resource: "images/status", name: "cluster" };
  expect(await hub.isAllowed(access)).toBe(false);
  expect(await hub.isAllowed({ ...access, verb: "get" }, { namespace: "hubrelay", name: "robot" })).toBe(
    true,
  );
  expect(api.calls.map(({ path, body }) => [path, JSON.parse(body).spec])).toEqual([
    [
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      {
        resourceAttributes: {
          verb: "update",
          group: "config.openshift.io",
          resource: "images",
          subresource: "status",
          name: "cluster",
        },
      },
    ],
    [
      "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      expect.objectContaining({
        user: "system:serviceaccount:hubrelay:robot",
        groups: expect.arrayContaining(["system:authenticated", "system:serviceaccounts:hubrelay"]),
      }),
    ],
  ]);
});
