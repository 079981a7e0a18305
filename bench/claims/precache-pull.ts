import { randomBytes } from "node:crypto";
import { type Lab, openLab } from "../../test/images/support/network/lab.ts";
import { missingForPulls } from "../../test/images/support/network/programs.ts";
import { whyNoThinLink } from "../../test/images/support/network/thin-link.ts";
import {
  makeWorkloadNode,
  type Running,
  type WorkloadNode,
} from "../../test/images/support/node/workload.ts";
import type { Claim, Row } from "../claim.ts";
import { elapsedOf, inTurns, median, series } from "../measure.ts";

const registry = "thin1.lan";
const bare = "bare podman pull, ten started at a time";
const whole = "the whole run";

/** A script that starts ten pulls, and the next ten when these have ended, as TALM's script does. */
const tensOfPulls = `
started=0
for image; do
  podman pull --quiet "$image" >/dev/null &
  started=$((started + 1))
  [ $((started % 10)) -ne 0 ] || wait
done
wait
`;

type Sizes = Readonly<{ images: number; megabytes: number; megabits: number; rounds: number }>;
const full: Sizes = { images: 30, megabytes: 60, megabits: 8, rounds: 2 };
const small: Sizes = { images: 10, megabytes: 2, megabits: 8, rounds: 1 };

const layerParts = [5, 4, 3, 2, 1] as const;
const imageParts = [1, 2, 3] as const;

/** Pushes images to a registry behind a slow link. Returns the size of each image in bytes, by its reference. */
async function imagesBehind(lab: Lab, { images, megabytes }: Sizes): Promise<ReadonlyMap<string, number>> {
  const bytesOf = new Map<string, number>();
  for (let number = 0; number < images; number++) {
    const bytes = (megabytes * 1e6 * (imageParts[number % 3] ?? 1)) / (2 * images);
    const layers = layerParts.map((part) => [
      { path: `layer${part}`, content: randomBytes(Math.round((bytes * part) / 15)) },
    ]);
    const image = await lab.image(layers);
    await lab.push(image, `plain.lan/bench/image${number}:v1`);
    bytesOf.set(`${registry}/bench/image${number}@${image.digest}`, bytes);
  }
  return bytesOf;
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, one) => all + one, 0);

/** Waits until the node has this part (0 to 1) of all bytes. */
async function untilPulled(
  running: Running,
  bytesOf: ReadonlyMap<string, number>,
  part: number,
): Promise<void> {
  const wanted = sum(bytesOf.values()) * part;
  const pulled = () => [...running.log().matchAll(/on the node: (.+)/g)].map(([, image = ""]) => image);
  for (let count = 1; sum(pulled().map((image) => bytesOf.get(image) ?? 0)) < wanted; count++)
    await running.logged("on the node: ", count);
}

async function succeeded(node: WorkloadNode, images: readonly string[]): Promise<void> {
  const { code, log } = await node.run(content(images), environment);
  if (code !== 0) throw new Error(`the workload ended with ${code}:\n${log}`);
}

const content = (images: readonly string[]) => ({ additionalImages: images.join("\n") });
const environment = {
  API_SERVER: "http://127.0.0.1:8001",
  POD_NAMESPACE: "openshift-talo-pre-cache",
  PROGRESS_CONFIGMAP: "pre-cache-progress",
};

async function rowsOf(sizes: Sizes): Promise<readonly Row[]> {
  await using lab = await openLab();
  const bytesOf = await imagesBehind(lab, sizes);
  const images = [...bytesOf.keys()];
  await using _link = await lab.thin(registry, sizes.megabits);
  await using _api = await lab.program("node/node-api.ts", ["8001"]);
  const left: number[] = [];
  const blobs: number[] = [];

  const workload = series(async () => {
    const node = await makeWorkloadNode(lab, { threshold: 99 });
    return elapsedOf(() => succeeded(node, images));
  });
  const peer = series(async () => {
    const node = await makeWorkloadNode(lab, { threshold: 99 });
    const took = await elapsedOf(() => node.bare("bash", ["-c", tensOfPulls, "bash", ...images]));
    const pulled = await node.images();
    if (pulled.length !== images.length) throw new Error(`bare pulls brought ${pulled.length} images`);
    return took;
  });
  const again = series(async () => {
    const node = await makeWorkloadNode(lab, { threshold: 99 });
    const running = await node.start(content(images), environment);
    await untilPulled(running, bytesOf, 0.9);
    running.kill("SIGKILL");
    await running.ended;
    left.push(images.length - (await node.images()).length);
    const { result, requests } = await lab.during(() => elapsedOf(() => succeeded(node, images)));
    blobs.push(requests.filter(({ path, status }) => path.includes("/blobs/") && status === 200).length);
    return result;
  });
  await inTurns(sizes.rounds, workload, peer, again);

  const [seconds, bareSeconds, againSeconds] = [workload, peer, again].map(
    ({ values }) => median(values) / 1000,
  ) as [number, number, number];
  const subject = `${images.length} images, ${sizes.megabytes} MB over ${sizes.megabits} Mbit/s`;
  return [
    {
      subject: `${subject}: the workload`,
      against: bare,
      ratio: seconds / bareSeconds,
      measures: "wall time",
      goal: { atMost: 1.05 },
      numbers: { seconds, bareSeconds, linkSeconds: (sizes.megabytes * 8) / sizes.megabits },
    },
    {
      subject: `${subject}: again after a kill at nine tenths of the bytes`,
      against: whole,
      ratio: againSeconds / seconds,
      measures: "wall time",
      goal: { atMost: 0.1 },
      numbers: { againSeconds, seconds, imagesLeft: median(left), blobsPulledAgain: median(blobs) },
    },
  ];
}

export const precachePull: Claim = {
  name: "precache-pull",
  goal:
    "over a thin link the workload takes at most 1.05 times as long as bare podman pulls of the same images, ten " +
    "started at a time, including its checks; killed when images with nine tenths of the bytes are on the node, at most 0.1 of it again",
  async run({ smoke }) {
    const sizes = smoke ? small : full;
    const why = missingForPulls() ?? whyNoThinLink;
    if (why) {
      const subject = `${sizes.images} images`;
      return [bare, whole].map((against) => ({ subject, against, skipped: why }));
    }
    return rowsOf(sizes);
  },
};
