import { createHash } from "node:crypto";
import { type Lab, registries } from "../network/lab.ts";
import type { Image, ImageFile } from "../registries/image.ts";

/** The number of images of a stock, and in how many of ten places each lies. */
export const spread = [2, 5, 8];

/** Whether a place holds an image depends only on its name, so that runs share what has been pushed. */
export function isHeld(image: number, repository: string): boolean {
  const [coin = 0] = createHash("sha256").update(`${image} ${repository}`).digest();
  return coin % 10 < (spread[image] ?? 0);
}

/** An image that is pushed to each place that holds it before a pull may look there. */
export type Stock = Readonly<{ image: Image; tag: string; provide(repository: string): Promise<void> }>;

/** Makes the images of `spread`, each with these layers below a layer of its own. */
export async function stocks(
  lab: Lab,
  layers: readonly (readonly ImageFile[])[] = [],
): Promise<readonly Stock[]> {
  return Promise.all(
    spread.map(async (_, index) => {
      const image = await lab.image([...layers, [{ path: "stock", content: `${index}` }]]);
      const tag = `v${index}`;
      const provided = new Set<string>();
      return {
        image,
        tag,
        provide: async (repository: string) => {
          const registry = repository.slice(0, repository.indexOf("/"));
          if (provided.has(repository) || !(registry in registries) || !isHeld(index, repository)) return;
          provided.add(repository);
          await lab.push(image, `${repository}:${tag}`);
        },
      };
    }),
  );
}
