import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { because } from "../support/setup/skipped-tests.ts";
import type { Lab } from "./support/network/lab.ts";
import { whyNoThinLink } from "./support/network/thin-link.ts";
import { builtOpm } from "./support/node/opm.ts";
import { makeWorkloadNode } from "./support/node/workload.ts";
import { indexLayers, lines, type Operator, pushed, releaseLayers } from "./support/registries/content.ts";
import type { RegistryRequest } from "./support/registries/registry.ts";
import { test } from "./support/test.ts";

/** Building the real `opm` takes minutes the first time. */
const timeout = 1_200_000;
const far = "thin1.lan";

/** Pushes an image to the registry that the far one serves too, and returns its reference behind the link. */
async function pushedFar(
  lab: Lab,
  repository: string,
  layers?: Parameters<Lab["image"]>[0],
): Promise<string> {
  const image = await pushed(lab, `plain.lan/${repository}`, layers);
  return image.replace("plain.lan", far);
}

/** An image of three layers that do not compress. */
const anImage = (lab: Lab, repository: string) =>
  pushedFar(
    lab,
    repository,
    [60, 30, 10].map((kilobytes, index) => [
      { path: `layer${index}`, content: randomBytes(1000 * kilobytes) },
    ]),
  );

async function someImages(lab: Lab, prefix: string, count: number): Promise<readonly string[]> {
  const images: string[] = [];
  for (let number = 0; number < count; number++) images.push(await anImage(lab, `${prefix}${number}`));
  return images;
}

/** The repositories, below a registry, whose layers were sent completely. */
function pulledLayers(requests: readonly RegistryRequest[]): readonly string[] {
  return requests.flatMap(({ method, path, status }) =>
    method === "GET" && path.includes("/blobs/") && status === 200 ? [path] : [],
  );
}

const repositoryOf = (image: string) => image.slice(image.indexOf("/") + 1, image.indexOf("@"));

test.skipIf(whyNoThinLink !== "")(
  "When a release, two catalogs and an application come over a thin link, and the run is killed halfway, the 30 images should arrive, each once",
  { timeout, ...because(whyNoThinLink) },
  async ({ lab }) => {
    const payload = await someImages(lab, "ocp/component", 14);
    const tags = Object.fromEntries(payload.map((image, number) => [`component${number}`, image]));
    const unwanted = await someImages(lab, "ocp/unwanted", 2);
    const release = await pushedFar(
      lab,
      "ocp/release",
      releaseLayers({ ...tags, "aws-driver": unwanted[0] ?? "", "azure-driver": unwanted[1] ?? "" }),
    );
    const operator = async (
      name: string,
      related: number,
    ): Promise<readonly [Operator, readonly string[]]> => {
      const old = await anImage(lab, `olm/${name}-old`);
      const [bundle = "", ...images] = await someImages(lab, `olm/${name}`, related + 1);
      const versions = [
        { bundle: old, images: [old] },
        { bundle, images },
      ];
      return [{ name, channel: "stable", versions }, [bundle, ...images]];
    };
    const [ptp, ptpImages] = await operator("ptp-operator", 2);
    const [sriov, sriovImages] = await operator("sriov-network-operator", 3);
    const [other] = await operator("other-operator", 1);
    const indexes = [
      await pushedFar(lab, "olm/index", indexLayers([ptp, other])),
      await pushedFar(lab, "olm/certified-index", indexLayers([sriov])),
    ];
    const additional = await someImages(lab, "app/image", 6);
    const all = [release, ...payload, ...indexes, ...ptpImages, ...sriovImages, ...additional].sort();
    expect(all).toHaveLength(30);

    await using _ = await lab.thin(far, 20);
    const node = await makeWorkloadNode(lab, { opm: await builtOpm() });
    const content = {
      "platform.image": release,
      "operators.indexes": lines(indexes),
      "operators.packagesAndChannels": lines(["ptp-operator:stable", "sriov-network-operator:stable"]),
      excludePrecachePatterns: lines(["aws", '^"azure-']),
      additionalImages: lines(additional),
    };
    const first = await lab.during(async () => {
      const running = await node.start(content, { PULL_PARALLEL: "4" });
      await running.logged("on the node: ", 15);
      running.kill("SIGKILL");
      return running.ended;
    });
    const there = await node.images();
    const second = await lab.during(() => node.run(content));
    expect(second.result.code, second.result.log).toBe(0);
    expect(await node.images()).toEqual(all);

    expect(there.length).toBeGreaterThanOrEqual(15);
    const once = there.map((image) => `/v2/${repositoryOf(image)}/blobs/`);
    const again = pulledLayers(second.requests).filter((path) =>
      once.some((start) => path.startsWith(start)),
    );
    expect(again).toEqual([]);
    const asked = [...first.requests, ...second.requests].map(({ path }) => path);
    expect(asked.filter((path) => /unwanted|other|-old/.test(path))).toEqual([]);
    expect(new Set([...first.requests, ...second.requests].map(({ registry }) => registry))).toEqual(
      new Set([far]),
    );
  },
);
