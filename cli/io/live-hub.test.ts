import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { HubReader } from "#shared/ports/hub.ts";
import { temporaryFolder } from "../../test/support/setup/temporary-folder.ts";
import { liveHubEnvironment } from "../program/hub-location.ts";
import { onLiveHub, onOneConnection } from "./live-hub.ts";

const theHub = () => onLiveHub(async (hub): Promise<HubReader> => hub);

test("When a command reads the hub again and again, it should do so on one connection, and only it", async () => {
  const folder = await temporaryFolder();
  vi.stubEnv("HUBRELAY_HUB", `directory:${folder}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const [first, second] = await onOneConnection(async () => [await theHub(), await theHub()]);
  expect(second).toBe(first);
  expect(await theHub()).not.toBe(first);
});

test("When HUBRELAY_HUB is empty, the hub should be the one of the kubeconfig, as without the variable", async () => {
  const kubeconfig = join(await temporaryFolder(), "config");
  await writeFile(kubeconfig, "");
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  vi.stubEnv("KUBECONFIG", kubeconfig);
  vi.stubEnv("HUBRELAY_HUB", "");
  expect(liveHubEnvironment().HUBRELAY_HUB).toBe(`kubeconfig:${kubeconfig}`);
});
