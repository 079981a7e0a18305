import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { answerJson, scriptedApi } from "../../test/support/scripted-api.ts";
import { kinds } from "../domain/kubernetes/kinds.ts";
import { EnvironmentError } from "./environment.ts";
import { openHub } from "./open-hub.ts";

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hubrelay-open-hub-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function aKubeConfig(url: string): string {
  const path = join(aFolder(), "kubeconfig");
  const content = {
    clusters: [{ name: "hub", cluster: { server: url, "insecure-skip-tls-verify": true } }],
    users: [{ name: "robot", user: { token: "one" } }],
    contexts: [{ name: "east", context: { cluster: "hub", user: "robot" } }],
  };
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const list = { metadata: { resourceVersion: "1" }, items: [] };

test("When the hub is a kubeconfig with a context, it should be that API server", async () => {
  const api = await scriptedApi((_, response) => answerJson(response, 200, list));
  const hub = await openHub({ HUBRELAY_HUB: `kubeconfig:${aKubeConfig(api.url)}#east` });
  expect(hub.id).toBe(api.url);
  expect(await hub.list(kinds.Image)).toEqual([]);
  expect(api.calls[0]?.headers.authorization).toBe("Bearer one");
});

test("When the file gets another token, it should be used as soon as the first is refused", async () => {
  const api = await scriptedApi(({ headers }, response) =>
    answerJson(response, headers.authorization === "Bearer two" ? 200 : 401, list),
  );
  const path = aKubeConfig(api.url);
  const hub = await openHub({ HUBRELAY_HUB: `kubeconfig:${path}#east`, HUBRELAY_HUB_ID: "urn:test:hub" });
  writeFileSync(path, readFileSync(path, "utf8").replace("one", "two"));
  expect(await hub.list(kinds.Image)).toEqual([]);
  expect(hub.id).toBe("urn:test:hub");
});

test("When the hub is a directory, it should be opened as one", async () => {
  const folder = aFolder();
  expect((await openHub({ HUBRELAY_HUB: `directory:${folder}` })).id).toBe(pathToFileURL(folder).href);
});

test.for([
  { title: "is not set", environment: {}, says: "HUBRELAY_HUB is not set" },
  { title: "has no adapter", environment: { HUBRELAY_HUB: "etcd:/x" }, says: "HUBRELAY_HUB has no adapter" },
  { title: "has no path", environment: { HUBRELAY_HUB: "kubeconfig:" }, says: "HUBRELAY_HUB has no adapter" },
  { title: "is a pod's, elsewhere", environment: { HUBRELAY_HUB: "in-cluster" }, says: "no pod" },
  {
    title: "names no file",
    environment: { HUBRELAY_HUB: "kubeconfig:/none" },
    says: "/none cannot be read (ENOENT)",
  },
])("When HUBRELAY_HUB $title, it should say so", async ({ environment, says }) => {
  await expect(openHub(environment)).rejects.toThrow(EnvironmentError);
  await expect(openHub(environment)).rejects.toThrow(says);
});
