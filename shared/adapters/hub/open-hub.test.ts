import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { respondJson, respondStatus, scriptedApi } from "../../../test/support/servers/scripted-api.ts";
import { temporaryFolder } from "../../../test/support/setup/temporary-folder.ts";
import { kinds } from "../../domain/kubernetes/object.ts";
import { EnvironmentError } from "../settings/environment.ts";
import { openHub } from "./open-hub.ts";

function kubeConfigText(url: string, token = "one"): string {
  return JSON.stringify({
    clusters: [{ name: "hub", cluster: { server: url, "insecure-skip-tls-verify": true } }],
    users: [{ name: "robot", user: { token } }],
    contexts: [{ name: "east", context: { cluster: "hub", user: "robot" } }],
  });
}

async function aKubeConfig(url: string): Promise<string> {
  const path = join(await temporaryFolder(), "kubeconfig");
  writeFileSync(path, kubeConfigText(url));
  return path;
}

const list = { metadata: { resourceVersion: "1" }, items: [] };

test("When the hub is a kubeconfig with a context, it should be that API server", async () => {
  const api = await scriptedApi((_, response) => respondJson(response, 200, list));
  const hub = await openHub({ HUBRELAY_HUB: `kubeconfig:${await aKubeConfig(api.url)}#east` });
  expect(hub.id).toBe(api.url);
  expect(await hub.list(kinds.Image)).toEqual([]);
  expect(api.calls[0]?.headers.authorization).toBe("Bearer one");
});

test("When the file gets another token, it should be used as soon as the first is rejected", async () => {
  const api = await scriptedApi(({ headers }, response) =>
    respondJson(response, headers.authorization === "Bearer two" ? 200 : 401, list),
  );
  const path = await aKubeConfig(api.url);
  const hub = await openHub({ HUBRELAY_HUB: `kubeconfig:${path}#east`, HUBRELAY_HUB_ID: "urn:test:hub" });
  writeFileSync(path, readFileSync(path, "utf8").replace("one", "two"));
  expect(await hub.list(kinds.Image)).toEqual([]);
  expect(hub.id).toBe("urn:test:hub");
});

const place = "secretsmanager:hubrelay/hub#east";

/** The settings of a function on AWS whose stores are this server. The SDK reads its own from the process. */
function onAws(url: string, hub: string): Readonly<Record<string, string>> {
  vi.stubEnv("AWS_ENDPOINT_URL", url);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return { HUBRELAY_HUB: hub, AWS_REGION: "eu-central-1" };
}

describe("a kubeconfig in Secrets Manager", () => {
  test("When it was read once, it should be kept, and read again when its token is rejected", async () => {
    let token = "one";
    const api = await scriptedApi(({ headers }, response) =>
      respondJson(response, headers.authorization === `Bearer ${token}` ? 200 : 401, list),
    );
    const store = await scriptedApi((_, response) =>
      respondJson(response, 200, { SecretString: kubeConfigText(api.url, token) }),
    );
    const hub = await openHub(onAws(store.url, place));
    for (let turn = 0; turn < 3; turn++) expect(await hub.list(kinds.Image)).toEqual([]);
    expect(store.calls.map(({ headers, body }) => [headers["x-amz-target"], JSON.parse(body)])).toEqual([
      ["secretsmanager.GetSecretValue", { SecretId: "hubrelay/hub" }],
    ]);
    token = "two";
    expect(await hub.list(kinds.Image)).toEqual([]);
    expect(store.calls).toHaveLength(2);
  });

  test("When its token stays rejected, the store should not be read at every request", async () => {
    const api = await scriptedApi((_, response) => respondStatus(response, 401, "Unauthorized"));
    const store = await scriptedApi((_, response) =>
      respondJson(response, 200, { SecretString: kubeConfigText(api.url) }),
    );
    const hub = await openHub(onAws(store.url, place));
    for (let turn = 0; turn < 5; turn++)
      await expect(hub.list(kinds.Image)).rejects.toMatchObject({ code: "Unauthorized" });
    expect(store.calls).toHaveLength(2);
  });

  test("When it is missing, or not a kubeconfig, it should say so and quote nothing", async () => {
    const none = await scriptedApi((_, response) =>
      respondJson(response, 400, { __type: "ResourceNotFoundException", message: "it is not there" }),
    );
    await expect(openHub(onAws(none.url, place))).rejects.toThrow(
      "The secret hubrelay/hub cannot be read: ResourceNotFoundException",
    );
    const other = await scriptedApi((_, response) =>
      respondJson(response, 200, { SecretString: "token: hush" }),
    );
    const error = await openHub(onAws(other.url, place)).catch((thrown: unknown) => String(thrown));
    expect(error).toMatch(/^EnvironmentError: The kubeconfig in the secret .*has no context east/);
    expect(error).not.toContain("hush");
  });
});

test("When the hub is a directory, it should be opened as one", async () => {
  const folder = await temporaryFolder();
  expect((await openHub({ HUBRELAY_HUB: `directory:${folder}` })).id).toBe(pathToFileURL(folder).href);
});

test.for([
  ["is not set", {}, "HUBRELAY_HUB is not set"],
  ["has no adapter", { HUBRELAY_HUB: "etcd:/x" }, "HUBRELAY_HUB has no adapter"],
  ["names no secret", { HUBRELAY_HUB: "secretsmanager:" }, "HUBRELAY_HUB has no adapter"],
  ["is a secret without a region", { HUBRELAY_HUB: "secretsmanager:hub" }, "AWS_REGION is not set"],
  ["has no path", { HUBRELAY_HUB: "kubeconfig:" }, "HUBRELAY_HUB has no adapter"],
  ["is a pod's, elsewhere", { HUBRELAY_HUB: "in-cluster" }, "does not run in a pod"],
  [
    "names no folder",
    { HUBRELAY_HUB: "directory:/none/typo" },
    "HUBRELAY_HUB is directory:/none/typo, a folder that does not exist. Fix: Correct the path",
  ],
  ["names no file", { HUBRELAY_HUB: "kubeconfig:/none" }, "/none cannot be read (ENOENT)"],
] as const)("When HUBRELAY_HUB $0, it should say so", async ([, environment, says]) => {
  await expect(openHub(environment)).rejects.toThrow(EnvironmentError);
  await expect(openHub(environment)).rejects.toThrow(says);
});
