import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { costOfChange } from "#shared/domain/diff/node-cost/cost-of-change.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { configureMirrors, type MirrorConfiguration } from "#shared/domain/mirrors/configuration.ts";
import { convertMirrorPolicies } from "#shared/domain/mirrors/convert/convert.ts";
import { processorSeconds } from "../support/setup/processor-seconds.ts";
import { mutatedManifests } from "./mutated-manifests.ts";
import { seeds } from "./seeds.ts";

const examples = fileURLToPath(new URL("../../examples/hub", import.meta.url));
const objects = readdirSync(examples)
  .sort()
  .flatMap((file) => readManifests(readFileSync(join(examples, file), "utf8"), file).objects)
  .map(({ object }) => object);
const image = objects.find(({ kind }) => kind === "Image");
const clusterVersion = objects.find(({ kind }) => kind === "ClusterVersion");
const before = configureMirrors({ objects });

const secondsPerMegabyte = 1;
/** The time limit for any input, however small: garbage collection takes time now and then. */
const minSeconds = 0.5;

function expectNamed(issues: readonly Issue[]): void {
  for (const { object, path, message, remedy } of issues) {
    expect(object.kind).not.toBe("");
    expect(object.name).not.toBe("");
    expect(path).not.toBe("");
    expect(message).not.toBe("");
    expect(remedy).not.toBe("");
  }
}

function expectSound({ refused, files, issues }: MirrorConfiguration): void {
  expectNamed(issues);
  if (refused) expect(issues.filter(({ severity }) => severity === "error")).not.toEqual([]);
  if (refused) expect(files).toEqual([]);
}

/** Reads, configures, converts and compares what a text has. */
function expectAllSound(text: string): void {
  const read = readManifests(text, "damaged.yaml");
  expectNamed(read.issues);
  const damaged = read.objects.map(({ object }) => object);
  const named = (kind: string, otherwise: typeof image) =>
    damaged.find((object) => object.kind === kind) ?? otherwise;
  const usedImage = named("Image", image);
  const usedVersion = named("ClusterVersion", clusterVersion);
  const input = {
    objects: [...objects, ...damaged],
    ...(usedImage ? { image: usedImage } : {}),
    ...(usedVersion ? { clusterVersion: usedVersion } : {}),
  };
  const after = configureMirrors(input);
  expectSound(after);
  expectSound(configureMirrors(input, { isStored: true }));
  expectNamed(convertMirrorPolicies(damaged).issues);
  costOfChange({ before: before.files, after: after.files });
}

test("When damaged manifests are read, every refusal should name object and field, and none should hang", () => {
  const write = (document: unknown) => JSON.stringify(document, null, 2) ?? "";
  fc.assert(
    fc.property(mutatedManifests([...objects, ...seeds], write), (text) => {
      const allowed = minSeconds + (text.length / 1_000_000) * secondsPerMegabyte;
      expect(processorSeconds(() => expectAllSound(text))).toBeLessThan(allowed);
    }),
    { numRuns: 1_000 },
  );
});
