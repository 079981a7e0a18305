import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import type { Run } from "#shared/domain/precache-model/work-identity.ts";
import {
  jobName,
  managedObjects,
  namespace,
  progressName,
} from "#shared/domain/precache-start/work/workload-objects.ts";
import type { Lab } from "../images/support/network/lab.ts";
import { aDigestMirrorSet, anImageConfig } from "../support/hub/objects.ts";
import { aRun } from "../support/precache/precache-objects.ts";
import { readTermination } from "../support/precache/termination.ts";
import { busybox } from "./support/images.ts";
import type { RealNode } from "./support/real-node.ts";
import { test } from "./support/test.ts";

const runNumber = (attempt: number): Run => ({ ...aRun, attempt });
const objectsOf = (run: Run, additionalImages: readonly string[], timeoutMinutes = 5) =>
  managedObjects({ run, content: { additionalImages }, image: "localhost/workload:1", timeoutMinutes });

/** Pushes images that a pod can run to the mirror only, and returns their references at the source. */
async function mirrored(lab: Lab, count: number, bytes = 100): Promise<readonly string[]> {
  const images: string[] = [];
  for (let index = 0; index < count; index++) {
    const made = await lab.image([[await busybox()], [{ path: "own", content: randomBytes(bytes) }]]);
    await lab.push(made, `plain.lan/ns/image${index}:v1`);
    images.push(`a.io/ns/image${index}@${made.digest}`);
  }
  return images;
}

/** Registries behind a link are those that pods can reach: the others listen on the node's loopback. */
const through = (mirror: string) =>
  configureMirrors({
    objects: [
      aDigestMirrorSet("mirrors", [
        { source: "a.io/ns", mirrors: [`${mirror}/ns`], mirrorSourcePolicy: "NeverContactSource" },
      ]),
    ],
    image: anImageConfig({ insecureRegistries: [mirror] }),
  }).files;

/** Waits until the Job has this condition, and returns the workload's last message. */
async function endOf(node: RealNode, run: Run, condition: "Complete" | "Failed") {
  const wait = ["wait", `--for=condition=${condition}`, `job/${jobName(run)}`, "--timeout=120s"];
  await node.kubectl("-n", namespace, ...wait).catch(async (error: Error) => {
    const pods = await node.kubectl("-n", namespace, "describe", "pods");
    const logs = await node.kubectl("-n", namespace, "logs", `job/${jobName(run)}`);
    throw new Error(`${error.message}\n${logs}\n${pods}`, { cause: error });
  });
  const path = "{.items[-1:].status.containerStatuses[0].state.terminated.message}";
  const pods = ["get", "pods", "-l", `job-name=${jobName(run)}`, "--sort-by=.metadata.creationTimestamp"];
  return readTermination(await node.kubectl("-n", namespace, ...pods, "-o", `jsonpath=${path}`));
}

async function progressOf(node: RealNode, run: Run): Promise<Readonly<Record<string, string>>> {
  const words = ["get", "configmap", progressName(run), "-o", "jsonpath={.data}"];
  return JSON.parse(await node.kubectl("-n", namespace, ...words));
}

test("When a Job has pre-cached images and the registry is off, pods should start from them, and from no other", async ({
  lab,
  node,
}) => {
  const images = await mirrored(lab, 3);
  const [other = "", ...wanted] = images;
  await node.configure(through("thin2.lan"));
  const run = runNumber(1);
  {
    await using _link = await lab.thin("thin2.lan", 1_000);
    await node.apply(...objectsOf(run, wanted));
    expect(await endOf(node, run, "Complete")).toMatchObject({ reason: "Completed" });
  }
  expect(await progressOf(node, run)).toMatchObject({
    imagesDone: "2",
    imagesTotal: "2",
    reason: "Completed",
  });
  for (const image of wanted)
    expect(await node.pull(image, "IfNotPresent")).toMatchObject({ reason: "Completed", contacted: [] });
  expect(await node.pull(other, "IfNotPresent")).toMatchObject({ reason: "ErrImagePull", from: undefined });
});

test("When a Job is suspended while it pulls, it should end its pod, keep what it has, and complete when it is resumed", async ({
  lab,
  node,
}) => {
  await using _link = await lab.thin("thin1.lan", 8);
  const images = await mirrored(lab, 6, 1_500_000);
  await node.configure(through("thin1.lan"));
  const run = runNumber(2);
  const job = ["job", jobName(run)];
  await node.apply(...objectsOf(run, images));
  await node.kubectl("-n", namespace, "wait", "--for=jsonpath={.status.ready}=1", ...job, "--timeout=120s");
  await node.kubectl("-n", namespace, "patch", ...job, "-p", '{"spec":{"suspend":true}}');
  await node.kubectl("-n", namespace, "wait", "--for=delete", "pod", "-l", `job-name=${jobName(run)}`);
  const before = await progressOf(node, run);
  expect(Number(before.imagesDone)).toBeLessThan(images.length);
  expect(before.reason).toBe("Interrupted");
  await node.kubectl("-n", namespace, "patch", ...job, "-p", '{"spec":{"suspend":false}}');
  expect(await endOf(node, run, "Complete")).toMatchObject({ reason: "Completed" });
});

test("When a registry lacks an image, the Job should fail with the image and the reason", async ({
  lab,
  node,
}) => {
  await using _link = await lab.thin("thin2.lan", 1_000);
  await node.configure(through("thin2.lan"));
  const run = runNumber(3);
  const absent = `a.io/ns/absent@sha256:${"0".repeat(64)}`;
  const [present = ""] = await mirrored(lab, 1);
  await node.apply(...objectsOf(run, [present, absent]));
  expect(await endOf(node, run, "Failed")).toMatchObject({ image: absent });
});

test("When a Job exceeds its deadline, it should end as the Job controller reports it", async ({
  lab,
  node,
}) => {
  console.log(`a deadline under control groups of version ${node.controlGroups}`);
  await using _link = await lab.thin("thin1.lan", 1);
  const images = await mirrored(lab, 3, 3_000_000);
  await node.configure(through("thin1.lan"));
  const run = runNumber(4);
  await node.apply(...objectsOf(run, images, 0.1));
  const failed = ["wait", "--for=condition=Failed", `job/${jobName(run)}`, "--timeout=180s"];
  await node.kubectl("-n", namespace, ...failed);
  const reason = ["get", "job", jobName(run), "-o", "jsonpath={.status.conditions[-1:].reason}"];
  expect(await node.kubectl("-n", namespace, ...reason)).toBe("DeadlineExceeded");
});
