import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { expect, test } from "vitest";
import { chartFiles } from "../chart/chart-files.ts";
import { chartArchive } from "./chart-archive.ts";

const chart = chartFiles();

test("When the chart is archived twice, the bytes should be the same, and hold its files below its name", async () => {
  const archive = await chartArchive();
  expect(archive.equals(await chartArchive())).toBe(true);
  const entries = await unpackTar(gunzipSync(archive));
  const held = entries.map(({ header, data }) => [header.name, Buffer.from(data ?? []).toString()]);
  const files = Object.entries(chart).map(([path, text]) => [`hubrelay/${path}`, text]);
  expect(held.toSorted()).toEqual(files.toSorted());
});

test.for(["base", "keda", "keda-sqs"])(
  "When %s has objects of all functions in one file, each function's template should have only its own",
  (folder) => {
    const text = chart[`templates/${folder}-precache-plan.yaml`] ?? "";
    expect(text).toContain('has "precache-plan" .Values.functions');
    expect(new Set(text.match(/(?<=^ {2}name: )hubrelay-[a-z-]+$/gm))).toEqual(
      new Set(["hubrelay-precache-plan"]),
    );
  },
);
