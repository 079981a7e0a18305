import { readFile } from "node:fs/promises";
import { describe, expect } from "vitest";
import { builtOpm } from "./support/node/opm.ts";
import { makeWorkloadNode } from "./support/node/workload.ts";
import {
  anApplication,
  databaseLayers,
  indexLayers,
  lines,
  pushed,
  releaseLayers,
} from "./support/registries/content.ts";
import { test } from "./support/test.ts";

test("When a release and operators are requested, all images that they name should be on the node", async ({
  lab,
}) => {
  const node = await makeWorkloadNode(lab);
  const [cli = "", aws = "", etcd = "", head = "", behind = "", bundle = ""] = await anApplication(lab, 6);
  const payload = { cli, "aws-driver": aws, etcd };
  const release = await pushed(lab, "a.io/ocp/release", releaseLayers(payload));
  const versions = [
    { bundle: behind, images: [] },
    { bundle, images: [head] },
  ];
  const operator = { name: "ptp-operator", channel: "stable", versions };
  const index = await pushed(lab, "a.io/olm/index", indexLayers([operator]));
  const { code, log } = await node.run({
    "platform.image": release,
    "operators.indexes": lines([index]),
    "operators.packagesAndChannels": lines(["ptp-operator: stable"]),
    excludePrecachePatterns: lines(["aws"]),
    spaceRequired: "0",
  });
  expect(code, log).toBe(0);
  expect(await node.images()).toEqual([release, cli, etcd, index, bundle, head].sort());
});

test("When the kubelet has removed images, a check should name them, and contact no registry", async ({
  lab,
}) => {
  const node = await makeWorkloadNode(lab);
  const [cli = "", etcd = "", app = "", head = "", bundle = ""] = await anApplication(lab, 5);
  const release = await pushed(lab, "a.io/ocp/release", releaseLayers({ cli, etcd }));
  const operator = { name: "ptp-operator", channel: "stable", versions: [{ bundle, images: [head] }] };
  const index = await pushed(lab, "a.io/olm/index", indexLayers([operator]));
  const request = {
    "platform.image": release,
    "operators.indexes": lines([index]),
    "operators.packagesAndChannels": lines(["ptp-operator:stable"]),
    additionalImages: lines([app]),
    spaceRequired: "0",
  };
  const { code, log } = await node.run(request);
  expect(code, log).toBe(0);
  const checked = async (detail: string, image = "") => {
    const before = await node.images();
    const { result, requests } = await lab.during(() => node.check(request));
    expect([result.code, result.termination], result.log).toEqual([0, { reason: "Checked", image, detail }]);
    expect(requests).toEqual([]);
    expect(await node.images()).toEqual(before);
  };
  await checked("");
  await node.bare("podman", ["rmi", "--force", head, app]);
  await checked(`${head}, ${app}`);
  await node.bare("podman", ["rmi", "--force", release]);
  await checked(`${release}, ${head} and 1 more`, release);
  const again = await node.run(request);
  expect(again.code, again.log).toBe(0);
  await checked("");
});

test("When an index has a database of an older opm, its images should be on the node", async ({ lab }) => {
  const node = await makeWorkloadNode(lab, { opm: await builtOpm() });
  const [bundle = "", image = ""] = await anApplication(lab, 2);
  const index = await pushed(lab, "a.io/olm/old", await databaseLayers("ptp-operator", { bundle, image }));
  const { code, log } = await node.run({
    "operators.indexes": lines([index]),
    "operators.packagesAndChannels": lines(["ptp-operator:stable"]),
    spaceRequired: "0",
  });
  expect(code, log).toBe(0);
  expect(await node.images()).toEqual([index, bundle, image].sort());
});

describe("the kubelet's threshold, with images that grow on the disk", () => {
  /** Some 30 KB to transfer, and 24 MB on a disk of 64 MB. */
  const growing = [[{ path: "zeros", content: Buffer.alloc(24e6) }]];
  const thresholds = [
    {
      threshold: 30,
      code: 19,
      reason: "SpaceAboveThreshold",
      detail: "every image is on the node, but the kubelet",
    },
    { threshold: 60, code: 0, reason: "Completed", detail: "1 images are on the node" },
    // No percentages, so 85.
  ];

  test.for(thresholds)(
    "When the kubelet removes images above $threshold %, the run should end with $reason",
    async ({ threshold, code, reason, detail }, { lab }) => {
      const node = await makeWorkloadNode(lab, { size: "64m", threshold });
      const image = await pushed(lab, "a.io/app/growing", growing);
      const ended = await node.run({ additionalImages: lines([image]) });
      expect([ended.code, ended.termination.reason], ended.log).toEqual([code, reason]);
      expect(ended.termination.detail).toContain(detail);
    },
  );
});

describe("registries in trouble", () => {
  const faults = [
    { fault: "fail", count: 3, environment: {}, code: 0, reason: "Completed" },
    { fault: "fail", count: 1000, environment: { PULL_ATTEMPTS: "3" }, code: 14, reason: "PullFailed" },
    { fault: "refuse", count: 1000, environment: {}, code: 15, reason: "Unauthorized" },
    { fault: "stall", count: 1, environment: { PULL_STALL_SECONDS: "3" }, code: 0, reason: "Completed" },
  ] as const;

  test.for(faults)(
    "When a registry does $fault for $count requests, the run should end with $reason",
    async ({ fault, count, environment, code, reason }, { lab }) => {
      await using _ = await lab.faulty(fault, count);
      const node = await makeWorkloadNode(lab);
      const image = await pushed(lab, "plain.lan/app/image");
      const faulty = image.replace("plain.lan", "faulty.lan");
      const ended = await node.run({ additionalImages: lines([faulty]) }, environment);
      expect([ended.code, ended.termination.reason], ended.log).toEqual([code, reason]);
    },
  );
});

test("When an image is on the node without its name, or under another one, it should get the requested name", async ({
  lab,
}) => {
  const node = await makeWorkloadNode(lab);
  const image = await lab.image();
  const [one = "", other = ""] = ["a.io/app/one", "a.io/app/other"].map((name) => `${name}@${image.digest}`);
  /** Its names in the storage. */
  const namesOf = async () => {
    const index = node.pathOf("/var/lib/containers/storage/vfs-images/images.json");
    const [stored] = JSON.parse(await readFile(index, "utf8"));
    return stored.names?.toSorted() ?? [];
  };
  for (const name of [one, other]) await lab.push(image, name.replace(/@.*/, ":v1"));
  expect((await node.run({ additionalImages: lines([one]) })).code).toBe(0);
  const second = await node.run({ additionalImages: lines([one, other]) });
  expect(second.code, second.log).toBe(0);
  expect(await namesOf()).toEqual([one, other]);

  // The state that a kill between the last two writes of a pull leaves.
  expect((await node.bare("podman", ["untag", one])).code).toBe(0);
  expect(await namesOf()).toEqual([]);
  const third = await node.run({ additionalImages: lines([one]) });
  expect(third.code, third.log).toBe(0);
  expect(await namesOf()).toEqual([one]);
});

test("When the cluster's API responds, progress should be reported sparingly, and nothing be read", async ({
  lab,
}) => {
  await using api = await lab.program("node/node-api.ts", ["8001"]);
  const full = await makeWorkloadNode(lab, { threshold: 1 });
  const images = await anApplication(lab, 3);
  const environment = {
    API_SERVER: "http://127.0.0.1:8001",
    POD_NAMESPACE: "openshift-talo-pre-cache",
    PROGRESS_CONFIGMAP: "pre-cache-progress",
  };
  const refused = await full.run({ additionalImages: lines(images) }, environment);
  expect([refused.code, refused.termination.reason], refused.log).toEqual([11, "NoSpace"]);
  expect(refused.termination.detail).toContain("removes images above 1 %");

  const node = await makeWorkloadNode(lab, { threshold: 99 });
  const { code, log } = await node.run({ additionalImages: lines(images) }, environment);
  expect(code, log).toBe(0);
  const patches: readonly { method: string; url: string; authorization: string; body: string }[] = api
    .lines()
    .map((line) => JSON.parse(line));
  expect(new Set(patches.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer the token"]));
  const path = "/api/v1/namespaces/openshift-talo-pre-cache/configmaps/pre-cache-progress";
  expect(new Set(patches.map(({ method, url }) => `${method} ${url}`))).toEqual(new Set([`PATCH ${path}`]));
  expect(patches.map(({ body }) => JSON.parse(body).data)).toEqual([
    expect.objectContaining({ reason: "NoSpace", imagesDone: "0" }),
    expect.objectContaining({ reason: "Pulling", imagesDone: "0", imagesTotal: "3" }),
    expect.objectContaining({ reason: "Completed", imagesDone: "3", imagesTotal: "3" }),
  ]);
  const { bytesDone, bytesTotal } = JSON.parse(patches.at(-1)?.body ?? "{}").data;
  expect([Number(bytesTotal) > 0, bytesDone]).toEqual([true, bytesTotal]);

  await node.bare("podman", ["rmi", "--force", images[0] ?? ""]);
  const check = await node.check({ additionalImages: lines(images) }, environment);
  expect(check.code, check.log).toBe(0);
  expect(check.log).not.toContain("cat:");
  expect(JSON.parse(JSON.parse(api.lines().at(-1) ?? "{}").body).data).toMatchObject({
    reason: "Checked",
    imagesDone: "2",
    imagesTotal: "3",
    image: "",
    detail: images[0],
  });
});
