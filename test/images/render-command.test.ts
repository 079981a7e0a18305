import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { paths } from "../../infra/paths.ts";
import { succeeded } from "../../infra/run-program.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aTagMirrorSet } from "../support/hub/objects.ts";
import { test } from "./support/test.ts";

test("When the command renders manifests into a node's root, the node should pull as they specify", async ({
  lab,
}) => {
  const [image, manifests, node] = await Promise.all([lab.image(), lab.folder(), lab.node([])]);
  for (const place of ["a.io/ns/app", "plain.lan/c/app", "m3.lan/app"]) await lab.push(image, `${place}:v1`);
  const objects = [
    aDigestMirrorSet("digest", [
      { source: "a.io/ns", mirrors: ["m1.lan/c", "plain.lan/c"], mirrorSourcePolicy: "NeverContactSource" },
    ]),
    aTagMirrorSet("tag", [{ source: "a.io:5000", mirrors: ["m3.lan"] }]),
    anImageConfig({ insecureRegistries: ["plain.lan"], blockedRegistries: ["x.a.io"] }),
    aClusterVersion(),
  ];
  const file = join(manifests, "all.json");
  await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));

  const command = ["cli/main.ts", "render", "-f", file, "-o", "files", "--dir", node.pathOf("/")];
  const { stdout } = await succeeded(process.execPath, command, { cwd: paths.root });

  expect(stdout).toContain(node.pathOf("/etc/containers/registries.conf"));
  const pulls = [`a.io/ns/app@${image.digest}`, "a.io/ns/app:v1", "a.io:5000/app:v1", "x.a.io/ns/app:v1"];
  const ends = [];
  for (const reference of pulls) {
    const { from, asked } = await lab.pull(node, reference);
    ends.push({ from, asked });
  }
  expect(ends).toEqual([
    { from: "plain.lan/c/app", asked: ["m1.lan/c/app", "plain.lan/c/app"] },
    { from: undefined, asked: [] },
    { from: "m3.lan/app", asked: ["m3.lan/app"] },
    { from: undefined, asked: [] },
  ]);
});
