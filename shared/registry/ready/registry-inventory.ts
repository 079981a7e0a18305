import pMap from "p-map";
import { isDigest } from "../../domain/images/image-reference.ts";
import { hostOf, isNested } from "../../domain/images/scope.ts";
import { byCodeUnit } from "../../domain/kubernetes/json/values.ts";
import type { StoredImage } from "../../domain/ready/unneeded.ts";
import type { RegistryAccess, RegistryCatalog, RegistryContents } from "../../ports/registry.ts";

const concurrency = 16;

type Client = Readonly<{
  registry: Pick<RegistryContents, "manifest"> & RegistryCatalog;
  access: RegistryAccess;
}>;

async function readRepository(
  repository: string,
  { registry, access }: Client,
): Promise<readonly StoredImage[]> {
  const images = new Map<string, StoredImage & Readonly<{ tags: string[] }>>();
  async function read(version: string, tags: readonly string[]): Promise<void> {
    const found = await registry.manifest(`${repository}${version}`, access);
    if (!found) return;
    const { digest, size, subject } = found;
    const [blobs, children] =
      found.kind === "list"
        ? [[], found.platforms.map((one) => one.digest).filter(isDigest)]
        : [[found.config, ...found.layers], []];
    const image = images.get(digest) ?? { repository, digest, tags: [], size, blobs, children, subject };
    images.set(digest, image);
    image.tags.push(...tags);
  }
  await pMap(await registry.tags(repository, access), (tag) => read(`:${tag}`, [tag]), { concurrency });
  // The loop also visits the images that it adds, since a list may name another list.
  for (const { children } of images.values()) {
    const others = children.filter((child) => !images.has(child));
    await pMap(others, (child) => read(`@${child}`, []), { concurrency });
  }
  return [...images.values()];
}

/**
 * Returns the images in `scopes` that have a tag or are in a list. A scope is a registry or a path in a registry.
 * Throws the error of the first request that fails.
 */
export async function readInventory(
  scopes: readonly string[],
  client: Client,
): Promise<readonly StoredImage[]> {
  const images: StoredImage[] = [];
  for (const host of new Set(scopes.map(hostOf)))
    for (const path of new Set(await client.registry.repositories(host, client.access)))
      if (scopes.some((scope) => isNested(`${host}/${path}`, scope)))
        images.push(...(await readRepository(`${host}/${path}`, client)));
  return images.sort((a, b) => byCodeUnit(`${a.repository} ${a.digest}`, `${b.repository} ${b.digest}`));
}
