import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
} from "../support/precache/precache-plan-objects.ts";
import { basicOf, pullSecretFor } from "../support/servers/scripted-registry.ts";
import { hubrelay } from "../system/cli.ts";
import { type Loopback, openLoopback, password, user } from "./support/network/loopback.ts";

/* Runs `hubrelay precache plan --sizes` as a person does, against a real registry with a certificate of its own. */

describe("an image in a registry with a certificate of the hub's own authorities", () => {
  let loopback: Loopback;
  let host: string;
  let image: string;
  beforeAll(async () => {
    loopback = await openLoopback();
    ({ host } = await loopback.registry("password"));
    const { digest } = await loopback.push(`${host}/team/app:1`);
    image = `${host}/team/app@${digest}`;
  });
  afterAll(() => loopback[Symbol.asyncDispose]());

  const imageConfig: KubernetesObject = {
    apiVersion: "config.openshift.io/v1",
    kind: "Image",
    metadata: { name: "cluster" },
    spec: { additionalTrustedCA: { name: "registries" } },
  };
  const authorities = (): KubernetesObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "registries", namespace: "openshift-config" },
    data: { [host.replace(":", "..")]: loopback.authorities },
  });

  async function sizesWith(...more: readonly KubernetesObject[]) {
    const file = join(loopback.folder, "pull-secret.json");
    await writeFile(file, pullSecretFor({ [host]: basicOf(user, password) }));
    const items = [
      anUpgrade({ clusters: ["sno1"], preCachingConfigRef: { name: "config" } }),
      aPolicy("platform", [], { sno1: "NonCompliant" }),
      aPreCachingConfig({ additionalImages: [image] }),
      aManagedCluster("sno1"),
      imageConfig,
      ...more,
    ];
    const args = ["precache", "plan", "--sizes", "-f", "-", "-o", "json", "--hub-version", "4.20"];
    const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const { stdout } = await hubrelay([...args, "--pull-secret", file], { stdin });
    const [{ sizes }] = JSON.parse(stdout);
    return sizes;
  }

  test("When the ConfigMap with the authorities exists, its image should be counted", async () => {
    const { clusters, notCounted } = await sizesWith(authorities());
    expect(notCounted).toEqual([]);
    expect(clusters[0].totalBytes).toBeGreaterThan(0);
  });

  test("When the ConfigMap does not exist, it should report that no authority vouches for the registry", async () => {
    const { clusters, notCounted } = await sizesWith();
    expect(clusters[0].totalBytes).toBeNull();
    expect(notCounted).toEqual([
      { name: image, reason: expect.stringContaining("certificate is not trusted") },
    ]);
  });
});
