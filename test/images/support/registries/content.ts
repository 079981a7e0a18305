import type { Lab } from "../network/lab.ts";
import type { ImageFile } from "./image.ts";

/** Formats a list as the workload's ConfigMap has it: one entry a line, each ended by a newline. */
export const lines = (entries: readonly string[]): string => entries.map((entry) => `${entry}\n`).join("");

/** Pushes an image of its own and returns its reference by digest. */
export async function pushed(
  lab: Lab,
  repository: string,
  layers?: readonly (readonly ImageFile[])[],
): Promise<string> {
  const image = await lab.image(layers);
  await lab.push(image, `${repository}:v1`);
  return `${repository}@${image.digest}`;
}

/** Pushes this many images of an application. */
export async function anApplication(lab: Lab, count: number): Promise<readonly string[]> {
  const images: string[] = [];
  for (let number = 0; number < count; number++) images.push(await pushed(lab, `a.io/app/image${number}`));
  return images;
}

/** Returns the layers of a release image whose payload names these images by tag. */
export function releaseLayers(images: Readonly<Record<string, string>>): readonly (readonly ImageFile[])[] {
  const tags = Object.entries(images).map(([name, image]) => ({ name, from: { name: image } }));
  const content = JSON.stringify({ kind: "ImageStream", spec: { tags } });
  return [[{ path: "release-manifests/image-references", content }]];
}

/** An operator in a catalog: every version of its one channel, oldest first, with its related images. */
export type Operator = Readonly<{
  name: string;
  channel: string;
  versions: readonly Readonly<{ bundle: string; images: readonly string[] }>[];
}>;

/** Returns the objects of a file-based catalog, as `opm` reads and prints them. */
function catalogObjects({ name, channel, versions }: Operator): readonly object[] {
  const bundleName = (index: number) => `${name}.v${index + 1}.0.0`;
  const entries = versions.map((_, index) => ({
    name: bundleName(index),
    ...(index > 0 ? { replaces: bundleName(index - 1) } : {}),
  }));
  return [
    { schema: "olm.package", name, defaultChannel: channel },
    { schema: "olm.channel", package: name, name: channel, entries },
    ...versions.map(({ bundle, images }, index) => ({
      schema: "olm.bundle",
      package: name,
      name: bundleName(index),
      image: bundle,
      properties: [{ type: "olm.package", value: { packageName: name, version: `${index + 1}.0.0` } }],
      relatedImages: images.map((image, number) => ({ name: `image${number}`, image })),
    })),
  ];
}

/** Returns the layers of an index image with a file-based catalog, and a program that must not run. */
export function indexLayers(operators: readonly Operator[]): readonly (readonly ImageFile[])[] {
  const opm = { path: "bin/opm", content: "#!/bin/sh\nexit 1\n", isProgram: true };
  const catalogs = operators.map((operator) => ({
    path: `configs/${operator.name}/catalog.json`,
    content: catalogObjects(operator)
      .map((object) => JSON.stringify(object))
      .join("\n"),
  }));
  return [[opm], catalogs];
}
