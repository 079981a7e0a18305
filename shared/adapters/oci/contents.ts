import { isDigest, withoutVersion } from "../../domain/images/image-reference.ts";
import { fieldsOf, objectsOf, textOf } from "../../domain/kubernetes/json/values.ts";
import type { ImageSignature } from "../../domain/ready/verify-signatures.ts";
import { type RegistryContents, RegistryError, type RegistryImage } from "../../ports/registry.ts";
import { checkDigest, type Fields } from "./body.ts";
import { type HiddenPaths, isHidden, visitLayer } from "./layer-files.ts";
import { ociManifest, readManifest } from "./manifest.ts";
import { type Call, type RepositoryRequests, refusal } from "./repository-requests.ts";

/** Maximum size of one signature, as on nodes. Source: containers/image v5.36.2, internal/iolimits/iolimits.go. */
const maxSignatureBytes = 4 * 1024 * 1024;
/** The maximum size of all signatures of an image. Nodes have no such limit. */
const maxSignaturesBytes = 64 * 1024 * 1024;
const signedText = "application/vnd.dev.cosign.simplesigning.v1+json";

export type ContentsClient = Readonly<{
  requests: RepositoryRequests;
  callFor(image: string, access: Parameters<RegistryContents["manifest"]>[1], isLong?: boolean): Call;
  manifest(call: Call): Promise<Readonly<{ digest: string; content: Fields; size: number }> | undefined>;
  image(
    call: Call,
    choice: Parameters<RegistryContents["visitFolder"]>[4],
  ): Promise<RegistryImage | undefined>;
}>;

/** Reports whether content exists, by a HEAD request. Throws `RegistryError` for any status but 200 and 404. */
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

/** Maximum size of one file of a catalog. A catalog may have all of its packages in one file. */
const maxFolderFileBytes = 256 * 1024 * 1024;

/**
 * Calls `visit` for each file of the image at or below one of `wanted.paths`, the topmost layer first. Skips files
 * that a higher layer hides.
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

/** Returns functions that read single parts of images, with the client's requests and caches. */
export function registryContents({ requests, callFor, manifest, image }: ContentsClient): RegistryContents {
  const { fetchBody } = requests;

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

    async signatures(name, digest, access) {
      const call = callFor(`${withoutVersion(name)}:${digest.replace(":", "-")}.sig`, access, true);
      const found = await manifest(call);
      const { mediaType = ociManifest, layers } = found?.content ?? {};
      const signed = objectsOf(layers).filter((layer) => layer.mediaType === signedText);
      if (mediaType !== ociManifest)
        throw new RegistryError("InvalidResponse", `${call.what}: nodes cannot read this type of manifest`);
      let total = 0;
      const signatures: ImageSignature[] = [];
      for (const { digest: blob, annotations } of signed) {
        if (typeof blob !== "string" || !isDigest(blob))
          throw new RegistryError("InvalidResponse", `${call.what}: a signature is no blob`);
        const body = await fetchBody(call, `blobs/${blob}`, { limit: maxSignatureBytes });
        if (!body) throw new RegistryError("InvalidResponse", `${call.what}: a signature has no content`);
        checkDigest(body.bytes, blob, call.what);
        total += body.bytes.length;
        if (total > maxSignaturesBytes)
          throw new RegistryError("InvalidResponse", `${call.what}: more than ${maxSignaturesBytes} bytes`);
        signatures.push({ payload: body.bytes.toString(), annotations: fieldsOf(annotations) });
      }
      return signatures;
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
