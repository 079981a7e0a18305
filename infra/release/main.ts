import type { KeyObject } from "node:crypto";
import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { Option } from "commander";
import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { runScript, scriptCommand } from "../npm-script.ts";
import { paths } from "../paths.ts";
import { outsideOfNpm, succeeded } from "../run-program.ts";
import { artefacts, digestsIn, signatureOf } from "./artefacts.ts";
import {
  publicKeyOf,
  readSigningKey,
  signatureBy,
  signedEnvelope,
  writeImagePayload,
  writeImageSignature,
} from "./signing.ts";

/** `subjects` has the SHA-256 of each file in hexadecimal digits. */
type Provenance = Readonly<{
  commit: string;
  builder: string;
  subjects: ReadonlyMap<string, string>;
  /** Digests of downloads that no lockfile in the commit covers. The key is the package URL. */
  downloads: ReadonlyMap<string, string>;
}>;

const home = packageJson.repository.url.replace(/\.git$/, "");

/**
 * The statement lists no packages of npm, since the commit's lockfiles have their digests. It contains no time, so that
 * two builds of a commit give the same statement.
 */
function provenanceStatement({ commit, builder, subjects, downloads }: Provenance): object {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [...subjects].map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: `${packageJson.homepage.replace(/#.*$/, "")}/blob/main/infra/release/main.ts`,
        externalParameters: { repository: home, commit },
        resolvedDependencies: [
          { uri: `${home}@${commit}`, digest: { gitCommit: commit } },
          ...[...downloads].map(([uri, sha256]) => ({ uri, digest: { sha256 } })),
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  };
}

const parsed = z.object({ out: z.string(), key: z.string().optional(), builder: z.string() });

/** Builds and signs a release. The signing key stays in this process, so that no other program can read it. */
async function main(): Promise<void> {
  const command = scriptCommand("release")
    .description(
      "Build every artefact of a release from a clean clone of the commit, with lists of components, checksums and " +
        "provenance. Publishes nothing.",
    )
    .addOption(
      new Option("--out <folder>", "an empty folder for the files").default(
        join(paths.root, "dist/release"),
        "dist/release",
      ),
    )
    .option("--key <file>", "the private key that signs them; without it they are not signed")
    .option("--builder <uri>", "who builds, for the provenance", "urn:hubrelay:builder:unnamed");
  const { out, key: keyFile, builder } = parsed.parse(command.parse().opts());
  const folder = resolve(out);
  const key = keyFile === undefined ? undefined : await readSigningKey(resolve(keyFile));
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty. Fix: choose another --out`);
  const commit = await buildFromClone(folder);
  await describeAndSign(folder, { commit, builder, key });
  for (const [name, digest] of await digestsIn(folder)) process.stdout.write(`${digest}  ${name}\n`);
}

async function buildFromClone(folder: string): Promise<string> {
  await using clone = await mkdtempDisposable(join(tmpdir(), "hubrelay-release-"));
  const git = (...args: readonly string[]) => succeeded("git", args, { cwd: paths.root });
  const commit = (await git("rev-parse", "HEAD")).stdout.trim();
  await git("clone", "--quiet", "--no-checkout", paths.root, clone.path);
  await git("-C", clone.path, "checkout", "--quiet", "--detach", commit);
  const programs = [join(clone.path, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const options = { cwd: clone.path, env: { ...outsideOfNpm(process.env), PATH: programs } };
  await succeeded("npm", ["ci", "--prefer-offline"], options);
  await succeeded(join(clone.path, "node_modules/.bin/node"), ["infra/release/build.ts", folder], options);
  return commit;
}

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

await runScript("release", main);
