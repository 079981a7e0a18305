import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { aFleet, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { aManagedCluster } from "../../test/support/precache/precache-plan-objects.ts";
import { pageText } from "../pages/html.ts";
import { renderPage } from "../pages/render-page.ts";
import { loadAssets } from "./assets.ts";

const { byPath } = await loadAssets();
const texts = [...byPath].map(([path, { content }]) => [path, Buffer.from(content).toString()] as const);

test("When 3,500 clusters are shown, the first page should take less than 300 kB over the wire", () => {
  const names = Array.from({ length: 3_500 }, (_, index) => `cluster-${index}`);
  const records = Object.fromEntries(names.map((name, index) => [name, index % 3 === 0 ? {} : undefined]));
  const clusters = names.map((name, index) =>
    aManagedCluster(name, { labels: { site: `site-${index % 70}` } }),
  );
  const page = pageText(renderPage("/precaching", {}, snapshotOf([...aFleet(records), ...clusters])));
  expect(page.match(/class="hr-cell /g)).toHaveLength(3_500);
  const bytes = [page, ...texts.map(([, text]) => text)].map((text) => gzipSync(text).byteLength);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(300_000);
});

test("When a page loads its style and scripts, these should load nothing else", () => {
  expect(texts.map(([path]) => path.replace(/[0-9a-f]{16}/, "HASH")).sort()).toEqual([
    "/assets/HASH-console.css",
    "/assets/HASH-console.js",
    "/assets/HASH-theme.js",
  ]);
  for (const [path, text] of texts)
    expect({
      path,
      elsewhere: text.match(/url\([^)]*|@import[^;]*|\bimport\s*[("'{*]|https?:\/\/[^\s"']*/g),
    }).toEqual({
      path,
      elsewhere: null,
    });
});
