import { expect, test } from "vitest";
import { aClient, aRegistry, trusted } from "../../../test/support/servers/registry-client.ts";
import type { ApiScript } from "../../../test/support/servers/scripted-api.ts";
import {
  type ScriptedImage,
  scriptedImage,
  scriptedRegistry,
} from "../../../test/support/servers/scripted-registry.ts";
import type { ImageRoute } from "../../domain/ready/locations.ts";
import { basisOf, type ImageRecord } from "../../domain/ready/record/image-record.ts";
import { withoutUnresponsive } from "../run-limits.ts";
import { recheckImages } from "./recheck-images.ts";

test("When the first mirror is down, it should be asked for a few images, not again for each architecture", async () => {
  const images = await Promise.all(
    Array.from({ length: 40 }, (_, number) => scriptedImage({ layers: [{ own: String(number) }] })),
  );
  const down = await aRegistry({}, () => (_, response) => response.writeHead(503).end());
  const second = await aRegistry(
    Object.fromEntries(images.map((image, number) => [`ns/app:${number}`, image])),
  );
  const questions = images.map(({ digest }, number) => {
    const location = { isMirror: true, insecure: false, skipped: undefined, name: 0 };
    const references = [down, second].map(({ host }) => `${host}/ns/app@${digest}`);
    const route: ImageRoute = {
      image: `quay.io/ns/app@${digest}`,
      locations: references.map((reference) => ({ ...location, reference })),
    };
    const architectures = number % 2 === 0 ? ["amd64"] : ["amd64", "arm64"];
    const [from = ""] = references;
    const before = { status: "ready", at: "", basis: basisOf(route, architectures), from, digest } as const;
    return { route, architectures, before };
  });
  const registry = withoutUnresponsive(aClient({ maxAttempts: 1 }));
  const asked = await recheckImages(questions, { registry, access: trusted, at: "2026-01-01T00:00:00Z" });
  expect(new Set(asked.map(({ record }) => record.status))).toEqual(new Set(["ready"]));
  expect(asked.every(({ record }) => record.unresponsive?.[0]?.startsWith(down.host))).toBe(true);
  // Those that were under way at once.
  expect(down.server.calls.length).toBeLessThanOrEqual(20);
});

test("When a mirror in front stops responding, responds again and then has the image, each should be found", async () => {
  const image = await scriptedImage();
  const front = new Map<string, ScriptedImage>();
  let isDown = false;
  const guard = (): ApiScript | undefined =>
    isDown ? (_, response) => response.writeHead(503).end() : undefined;
  const first = await scriptedRegistry(front, guard, { isTls: true });
  const second = await aRegistry({ "ns/app:1": image });
  const location = { isMirror: true, insecure: false, skipped: undefined, name: 0 };
  const route: ImageRoute = {
    image: `quay.io/ns/app@${image.digest}`,
    locations: [first, second].map(({ host }) => ({
      ...location,
      reference: `${host}/ns/app@${image.digest}`,
    })),
  };
  let before: ImageRecord | undefined;
  const ask = async (): Promise<readonly [string | undefined, readonly string[] | undefined]> => {
    const asking = { registry: aClient({ maxAttempts: 1 }), access: trusted, at: "2026-01-01T00:00:00Z" };
    const [asked] = await recheckImages([{ route, architectures: ["amd64"], before }], asking);
    before = asked?.record;
    return [before?.from, before?.unresponsive];
  };
  const [inFront, behind] = route.locations.map(({ reference }) => reference);
  expect(await ask()).toEqual([behind, undefined]);
  isDown = true;
  expect(await ask()).toEqual([behind, [inFront]]);
  isDown = false;
  expect(await ask()).toEqual([behind, undefined]);
  front.set("ns/app:1", image);
  expect(await ask()).toEqual([inFront, undefined]);
});
