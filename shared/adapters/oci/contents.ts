import { fieldsOf, isRecord, textOf } from "../../domain/kubernetes/json/values.ts";
import { type RegistryContents, RegistryError, type RegistryImage } from "../../ports/registry.ts";
import { type Fields, jsonOf } from "./body.ts";
import { type HiddenPaths, isHidden, visitLayer } from "./layer-files.ts";
import { manifestTypes, readManifest } from "./manifest.ts";
import { type Call, type RepositoryRequests, refusal } from "./repository-requests.ts";

const maxReferrersBytes = 4 * 1024 * 1024;

/** The functions of a client that `registryContents` uses. */
export type ContentsClient = Readonly<{
  requests: RepositoryRequests;
  callFor(image: string, access: Parameters<RegistryContents["manifest"]>[1], isLong?: boolean): Call;
  manifest(call: Call): Promise<Readonly<{ digest: string; content: Fields; size: number }> | undefined>;
  image(
    call: Call,
    choice: Parameters<RegistryContents["visitFolder"]>[4],
  ): Promise<RegistryImage | undefined>;
}>;

/** Reports whether an artifact type means a Sigstore or Notary signature. */
const isSignatureType = (type: unknown): boolean =>
  typeof type === "string" && /sigstore\.bundle|cosign.{0,64}\.sig|notary\.signature/.test(type);

/** Reports whether content exists, by a HEAD request; any status but 200 and 404 is an error. */
export async function isThere(
  { ask }: RepositoryRequests,
  call: Call,
  suffix: string,
  accept?: string,
): Promise<boolean> {
  const response = await ask(call, "HEAD", suffix, accept);
  await response.body.dump();
  if (response.statusCode === 200 || response.statusCode === 404) return response.statusCode === 200;
  throw refusal(call, response.statusCode);
}

/** Maximum size of one file of a catalog in an image; a catalog may have all of its packages in one file. */
const maxFolderFileBytes = 256 * 1024 * 1024;

/**
 * Calls `visit` for each file of the image at or below one of `wanted.paths`, the topmost layer first. Skips files that a
 * higher layer replaces or removes.
 */
export async function visitImage(
  { askLayer }: RepositoryRequests,
  call: Call,
  { layers }: RegistryImage,
  wanted: Readonly<{ paths: readonly string[]; maxBytes: number }>,
  visit: (path: string, text: string) => void,
): Promise<void> {
  const hidden: HiddenPaths = { paths: new Set(), trees: new Set() };
  for (const layer of layers.toReversed()) {
    if (wanted.paths.every((path) => isHidden(path, hidden))) return;
    const { response, what } = await askLayer(call, layer.digest);
    await visitLayer(response, layer, { ...wanted, hidden, what }, visit);
  }
}

/** Returns the functions that read parts of images, with the client's requests and caches. */
export function registryContents({ requests, callFor, manifest, image }: ContentsClient): RegistryContents {
  const { fetchBody } = requests;

  async function hasReferrer(call: Call, digest: string): Promise<boolean> {
    try {
      const body = await fetchBody(call, `referrers/${digest}`, { limit: maxReferrersBytes });
      if (!body) return false;
      const { manifests } = jsonOf(body.bytes, call.what);
      return (
        Array.isArray(manifests) &&
        manifests.some((one) => isRecord(one) && isSignatureType(one.artifactType))
      );
    } catch (error) {
      // A registry without the referrers API may respond with any status, or with a page.
      if (error instanceof RegistryError && ["UnexpectedStatus", "InvalidResponse"].includes(error.code))
        return false;
      throw error;
    }
  }

  return {
    async manifest(name, access) {
      const call = callFor(name, access);
      const found = await manifest(call);
      if (!found) return undefined;
      const { digest, size, content } = found;
      const subject = textOf(fieldsOf(content.subject).digest);
      const own = { digest, size, ...(subject === undefined ? {} : { subject }) };
      const read = readManifest(content, call.what);
      if (read.kind === "list") return { ...own, kind: "list", platforms: read.platforms };
      const { config, layers } = read.image;
      return { ...own, kind: "image", config, layers };
    },

    hasBlob: async (name, digest, access) => isThere(requests, callFor(name, access), `blobs/${digest}`),

    async hasSignature(name, digest, access) {
      const call = callFor(name, access);
      const tag = `manifests/${digest.replace(":", "-")}.sig`;
      return (await isThere(requests, call, tag, manifestTypes)) || hasReferrer(call, digest);
    },

    async visitFolder(name, folder, visit, access, choice) {
      const call = callFor(name, access, true);
      const found = await image(call, choice);
      if (!found) return false;
      await visitImage(requests, call, found, { paths: [folder], maxBytes: maxFolderFileBytes }, visit);
      return true;
    },
  };
}
