import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../test/support/setup/temporary-folder.ts";
import { fileUpdateGraph } from "./open-update-graph.ts";

const image = "quay.io/release@sha256:1";
const nodes = [
  { version: "4.20.2", payload: "quay.io/release@sha256:0" },
  { version: "4.20.3" },
  { version: "4.20.3", payload: image },
  { version: "4.20.4" },
];
const folder = sharedFolder({ "graph.json": JSON.stringify({ nodes, edges: [] }) });

const ask = (file: string, version: string) =>
  fileUpdateGraph(join(folder.path, file)).ask({ upstream: "", channel: "", version });

test("When the file exists, it should return its releases", async () => {
  expect(await ask("graph.json", "4.20.3")).toEqual({ ok: true, image });
});

test("When there is no file, it should return an error", async () => {
  expect(await ask("none", "")).toMatchObject({
    ok: false,
    message: expect.stringContaining("unable to read update graph file"),
  });
});
