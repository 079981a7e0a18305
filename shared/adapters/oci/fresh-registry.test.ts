import { expect, onTestFinished, test } from "vitest";
import { scriptedImage, scriptedRegistry } from "../../../test/support/servers/scripted-registry.ts";
import { openFreshRegistry } from "./oci-registry.ts";

test.for([
  { what: "digest", version: (digest: string) => `@${digest}` },
  { what: "tag", version: () => ":1" },
])("When an image is mirrored after its $what was not found, it should be found at once", async (row) => {
  const image = await scriptedImage();
  const held = new Map<string, typeof image>();
  const { host } = await scriptedRegistry(held);
  const registry = openFreshRegistry({});
  onTestFinished(() => registry.close());
  const [name, access] = [`${host}/a/b${row.version(image.digest)}`, { insecureHosts: [host] }];
  const find = async () => [await registry.digest(name, access), await registry.manifest(name, access)];
  expect(await find()).toEqual([undefined, undefined]);
  held.set("a/b:1", image);
  expect(await find()).toEqual([image.digest, expect.objectContaining({ digest: image.digest })]);
});
