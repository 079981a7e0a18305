import type { KeyObject } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { paths } from "../paths.ts";
import { succeeded } from "../run-program.ts";
import { artefacts, publishedImage, signatureOf } from "./artefacts.ts";
import { signatureBy } from "./signing.ts";

/** Writes beside the archive of the image what is signed for it, and returns that. */
export async function writeImagePayload(folder: string): Promise<string> {
  const payload = imagePayload(await imageDigest(join(folder, artefacts.image)));
  await writeFile(join(folder, artefacts.imagePayload), payload);
  return payload;
}

/** Writes the image's signature, in Base64, as `cosign attach signature` takes it. */
export async function writeImageSignature(folder: string, payload: string, key: KeyObject): Promise<void> {
  const signature = signatureBy(key, payload).toString("base64");
  await writeFile(join(folder, signatureOf(artefacts.imagePayload)), signature);
}

const index = z.object({ manifests: z.tuple([z.object({ digest: z.string() })]) });

/** Returns the digest by which registries know the image for all architectures. */
async function imageDigest(archive: string): Promise<string> {
  const { stdout } = await succeeded("tar", ["-xOf", archive, "index.json"], { cwd: paths.root });
  return index.parse(JSON.parse(stdout)).manifests[0].digest;
}

/** Returns what cosign and the containers libraries sign for an image. */
function imagePayload(digest: string): string {
  return JSON.stringify({
    critical: {
      identity: { "docker-reference": publishedImage },
      image: { "docker-manifest-digest": digest },
      type: "cosign container image signature",
    },
    optional: null,
  });
}
