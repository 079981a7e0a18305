import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import type { signatureLayers } from "./cosign-signatures.ts";
import { type ApiCall, type ApiScript, respondJson, scriptedApi } from "./scripted-api.ts";

/** An image in a scripted registry: the content of its manifest and blobs. */
export type ScriptedImage = Readonly<{
  digest: string;
  manifest: string;
  mediaType: string;
  blobs: ReadonlyMap<string, Buffer>;
  size: number;
}>;

const imageManifestType = "application/vnd.oci.image.manifest.v1+json";
const imageIndexType = "application/vnd.oci.image.index.v1+json";

function digestOf(content: Uint8Array | string): string {
  return `sha256:${hash("sha256", content)}`;
}

/** An image with these layers, each a tar archive of files by their paths, and these labels. */
export async function scriptedImage({
  labels = {},
  layers = [{}],
  architecture = "amd64",
}: Readonly<{
  labels?: Readonly<Record<string, string>>;
  layers?: readonly Readonly<Record<string, string>>[];
  architecture?: string;
}> = {}): Promise<ScriptedImage> {
  const blobs = new Map<string, Buffer>();
  const put = (content: Buffer, mediaType: string) => {
    const digest = digestOf(content);
    blobs.set(digest, content);
    return { digest, size: content.length, mediaType };
  };
  const described = [];
  for (const files of layers) {
    const entries = Object.entries(files).map(([name, body]) => ({
      header: { name, size: Buffer.byteLength(body), type: "file" as const },
      body,
    }));
    const archive = gzipSync(await packTar(entries));
    described.push(put(archive, "application/vnd.oci.image.layer.v1.tar+gzip"));
  }
  const configuration = JSON.stringify({ architecture, os: "linux", config: { Labels: labels } });
  const config = put(Buffer.from(configuration), "application/vnd.oci.image.config.v1+json");
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: imageManifestType,
    config,
    layers: described,
  });
  const size = [...blobs.values()].reduce((sum, blob) => sum + blob.length, manifest.length);
  return { digest: digestOf(manifest), manifest, mediaType: imageManifestType, blobs, size };
}

/** The image that contains a manifest's signatures, under the tag `signatureTag` of the manifest's digest. */
export function scriptedSignatures(layers: ReturnType<typeof signatureLayers>): ScriptedImage {
  const blobs = new Map(layers.map(({ content }) => [digestOf(content), content]));
  const described = layers.map(({ content, mediaType, annotations }) => ({
    mediaType,
    digest: digestOf(content),
    size: content.length,
    annotations,
  }));
  const config = { mediaType: "application/vnd.oci.image.config.v1+json", digest: digestOf("{}"), size: 2 };
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: imageManifestType,
    config,
    layers: described,
  });
  blobs.set(config.digest, Buffer.from("{}"));
  return { digest: digestOf(manifest), manifest, mediaType: imageManifestType, blobs, size: 0 };
}

/** One name for the images of several platforms. */
export function scriptedIndex(
  images: readonly Readonly<{ image: ScriptedImage; architecture: string }>[],
): ScriptedImage {
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: imageIndexType,
    manifests: images.map(({ image: { digest, manifest: own }, architecture }) => ({
      mediaType: imageManifestType,
      digest,
      size: own.length,
      platform: { architecture, os: "linux" },
    })),
  });
  return { digest: digestOf(manifest), manifest, mediaType: imageIndexType, blobs: new Map(), size: 0 };
}

/**
 * A registry of the running test. `held` are its images by `path:tag`; each is available by digest as well. `guard` may
 * respond first, for failures of a registry.
 */
export async function scriptedRegistry(
  held: ReadonlyMap<string, ScriptedImage>,
  guard: (call: ApiCall) => ApiScript | undefined = () => undefined,
  options: Parameters<typeof scriptedApi>[1] = {},
) {
  const byDigest = () => new Map([...held.values()].map((image) => [image.digest, image]));
  const blobs = () => new Map([...held.values()].flatMap((image) => [...image.blobs]));

  const respond: ApiScript = (call, response) => {
    const guarded = guard(call);
    if (guarded) return guarded(call, response);
    const [, path = "", what = "", name = ""] =
      /^\/v2\/(.+)\/(manifests|blobs|tags)\/([^/]+)$/.exec(call.path) ?? [];
    const missing = () => respondJson(response, 404, { errors: [{ code: "MANIFEST_UNKNOWN" }] });
    if (what === "tags") {
      const tags = [...held.keys()].flatMap((key) =>
        key.startsWith(`${path}:`) ? [key.slice(path.length + 1)] : [],
      );
      return respondJson(response, 200, { name: path, tags });
    }
    if (what === "blobs") {
      const blob = blobs().get(name);
      if (!blob) return missing();
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(blob);
      return;
    }
    const image = name.includes(":") ? byDigest().get(name) : held.get(`${path}:${name}`);
    if (!image) return missing();
    response
      .writeHead(200, { "content-type": image.mediaType, "docker-content-digest": image.digest })
      .end(call.method === "HEAD" ? undefined : image.manifest);
  };
  const api = await scriptedApi(respond, options);
  return { ...api, host: new URL(api.url).host };
}

/** Responds with 401 and this challenge, as registries do. */
export function challenge(header: string): ApiScript {
  return (_, response) =>
    respondJson(response, 401, { errors: [{ code: "UNAUTHORIZED" }] }, { "www-authenticate": header });
}

export function basicOf(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString("base64");
}

/** A `.dockerconfigjson` with these entries. */
export function pullSecretFor(entries: Readonly<Record<string, string>>): string {
  const auths = Object.entries(entries).map(([name, auth]) => [name, { auth }] as const);
  return JSON.stringify({ auths: Object.fromEntries(auths) });
}
