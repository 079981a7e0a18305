import pMap from "p-map";
import { isDigest } from "../../domain/images/image-reference.ts";
import { hostOf, isNested } from "../../domain/images/scope.ts";
import { byCodeUnit } from "../../domain/kubernetes/json/values.ts";
import type { StoredManifest, StoredRepository } from "../../domain/ready/unneeded.ts";
import type {
  RegistryAccess,
  RegistryCatalog,
  RegistryContents,
  RegistryManifest,
} from "../../ports/registry.ts";

const concurrency = 16;

type Client = Readonly<{
  registry: Pick<RegistryContents, "manifest"> & RegistryCatalog;
  access: RegistryAccess;
}>;

function stored(manifest: RegistryManifest): StoredManifest {
  const { size, subject } = manifest;
  const isList = manifest.kind === "list";
  return {
    size,
    blobs: isList ? [] : [manifest.config, ...manifest.layers],
    children: isList ? manifest.platforms.map(({ digest }) => digest).filter(isDigest) : [],
    ...(subject === undefined ? {} : { subject }),
  };
}

/** Reads the manifests of a repository's tags, and the manifests that lists contain. A list may lack some of its images. */
async function readRepository(name: string, { registry, access }: Client): Promise<StoredRepository> {
  const tags = new Map<string, string>();
  const manifests = new Map<string, StoredManifest>();
  const read = async (version: string): Promise<RegistryManifest | undefined> => {
    const found = await registry.manifest(`${name}${version}`, access);
    if (found) manifests.set(found.digest, stored(found));
    return found;
  };
  await pMap(
    await registry.tags(name, access),
    async (tag) => {
      const found = await read(`:${tag}`);
      if (found) tags.set(tag, found.digest);
    },
    { concurrency },
  );
  // Entries added to a map during its iteration are visited too: lists may contain lists.
  for (const { children } of manifests.values())
    await pMap(
      children.filter((child) => !manifests.has(child)),
      (child) => read(`@${child}`),
      { concurrency },
    );
  return { name, tags, manifests };
}

/**
 * Reads all repositories of registries, or of paths within them, by the catalog and tags APIs. Images without a tag that are
 * in no list are not found. Throws the `RegistryError` of the first request that fails.
 */
export async function readInventory(
  scopes: readonly string[],
  client: Client,
): Promise<readonly StoredRepository[]> {
  const hosts = new Set(scopes.map(hostOf));
  const names = await Promise.all(
    [...hosts].map(async (host) => {
      const paths = await client.registry.repositories(host, client.access);
      return paths.map((path) => `${host}/${path}`);
    }),
  );
  const chosen = new Set(names.flat().filter((name) => scopes.some((scope) => isNested(name, scope))));
  const repositories: StoredRepository[] = [];
  for (const name of [...chosen].sort(byCodeUnit)) repositories.push(await readRepository(name, client));
  return repositories;
}
