import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { expect, test } from "vitest";
import { paths } from "../paths.ts";
import { chartArchive } from "./chart-archive.ts";

test("When the chart is archived twice, the bytes should be the same, and hold its files below its name", async () => {
  const archive = await chartArchive();
  expect(archive.equals(await chartArchive())).toBe(true);
  const entries = await unpackTar(gunzipSync(archive));
  const names = entries.map(({ header }) => header.name);
  expect(names).toContain("hubrelay/templates/_helpers.tpl");
  expect(names).toContain("hubrelay/values.schema.json");
  const manifest = entries.find(({ header }) => header.name === "hubrelay/Chart.yaml");
  const text = await readFile(join(paths.root, "infra/helm/hubrelay/Chart.yaml"), "utf8");
  expect(Buffer.from(manifest?.data ?? []).toString()).toBe(text);
});
