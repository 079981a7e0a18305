import type { KeyObject } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { outsideOfNpm, succeeded } from "../command.ts";
import { paths } from "../paths.ts";
import { artefacts, digestsIn, signatureOf } from "./artefacts.ts";
import { writeImagePayload, writeImageSignature } from "./image-signature.ts";
import { provenanceStatement } from "./provenance.ts";
import { publicKeyOf, readSigningKey, signatureBy, signedEnvelope } from "./signing.ts";

/**
 * Runs `npm run release -- --out FOLDER [--key FILE] [--builder URI]`: builds every artefact of a release from a clean
 * clone of the commit, with lists of components, checksums and provenance, and signs them with the key. The key stays in
 * this process: nothing that the build runs can read it. Publishes nothing.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: "string", default: join(paths.root, "dist/release") },
      key: { type: "string" },
      builder: { type: "string", default: "urn:hubrelay:builder:unnamed" },
    },
  });
  const folder = resolve(values.out);
  const key = values.key === undefined ? undefined : await readSigningKey(resolve(values.key));
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty. Fix: choose another --out`);
  const commit = await buildFromClone(folder);
  await describeAndSign(folder, { commit, builder: values.builder, key });
  for (const [name, digest] of await digestsIn(folder)) process.stdout.write(`${digest}  ${name}\n`);
}

/** Builds the artefacts from a clone of the checked-out commit; returns that commit. */
async function buildFromClone(folder: string): Promise<string> {
  const clone = await mkdtemp(join(tmpdir(), "hubrelay-release-"));
  try {
    const git = (...args: readonly string[]) => succeeded("git", args, { cwd: paths.root });
    const commit = (await git("rev-parse", "HEAD")).stdout.trim();
    await git("clone", "--quiet", "--no-checkout", paths.root, clone);
    await git("-C", clone, "checkout", "--quiet", "--detach", commit);
    const programs = [join(clone, "node_modules/.bin"), process.env.PATH].join(delimiter);
    const options = { cwd: clone, env: { ...outsideOfNpm(process.env), PATH: programs } };
    await succeeded("npm", ["ci", "--prefer-offline"], options);
    await succeeded(join(clone, "node_modules/.bin/node"), ["infra/release/build.ts", folder], options);
    return commit;
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}

/** Writes what describes the artefacts in a folder, and the signatures. */
async function describeAndSign(
  folder: string,
  { commit, builder, key }: Readonly<{ commit: string; builder: string; key: KeyObject | undefined }>,
): Promise<void> {
  const write = (name: string, content: string | Uint8Array) => writeFile(join(folder, name), content);
  const payload = await writeImagePayload(folder);
  const subjects = await digestsIn(folder);
  const downloads = await debianDownloads(folder);
  const statement = provenanceStatement({ commit, builder, subjects, downloads });
  await write(artefacts.provenance, signedEnvelope(statement, key));
  if (key) {
    await write(artefacts.publicKey, publicKeyOf(key));
    await writeImageSignature(folder, payload, key);
  }
  const checksums = [...(await digestsIn(folder))].map(([name, digest]) => `${digest}  ${name}\n`).join("");
  await write(artefacts.checksums, checksums);
  if (key) await write(signatureOf(artefacts.checksums), signatureBy(key, checksums));
}

const sbom = z.object({
  components: z.array(
    z.looseObject({
      purl: z.string().optional(),
      hashes: z.array(z.object({ alg: z.string(), content: z.string() })).optional(),
    }),
  ),
});

/** Returns the digests of Debian's packages in the image, by package URL. */
async function debianDownloads(folder: string): Promise<ReadonlyMap<string, string>> {
  const downloads = new Map<string, string>();
  for (const name of (await digestsIn(folder)).keys()) {
    if (!/-image-.*\.cdx\.json$/.test(name)) continue;
    const { components } = sbom.parse(JSON.parse(await readFile(join(folder, name), "utf8")));
    for (const { purl, hashes } of components)
      if (purl?.startsWith("pkg:deb/")) downloads.set(purl, hashes?.[0]?.content ?? "");
  }
  return downloads;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
