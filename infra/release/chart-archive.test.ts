import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { expect, test } from "vitest";
import { chartFiles } from "../chart/chart-files.ts";
import { chartArchive } from "./chart-archive.ts";

test("When the chart is archived twice, the bytes should be the same, and hold its files below its name", async () => {
  const archive = await chartArchive();
  expect(archive.equals(await chartArchive())).toBe(true);
  const entries = await unpackTar(gunzipSync(archive));
  const held = entries.map(({ header, data }) => [header.name, Buffer.from(data ?? []).toString()]);
  const files = Object.entries(chartFiles()).map(([path, text]) => [`hubrelay/${path}`, text]);
  expect(held.toSorted()).toEqual(files.toSorted());
});
