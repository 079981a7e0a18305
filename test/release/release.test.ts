import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { beforeAll, describe, expect, test } from "vitest";
import { functionNames } from "../../infra/bundle/bundle.ts";
import { paths } from "../../infra/paths.ts";
import { artefacts, digestsIn, sbomOf } from "../../infra/release/artefacts.ts";
import { finished, outsideOfNpm, succeeded } from "../../infra/run-program.ts";
import { installedTool } from "../../infra/tool-folder.ts";
import packageJson from "../../package.json" with { type: "json" };
import { sharedFolder } from "../support/setup/temporary-folder.ts";

/*
 * A dry run of a release: built twice from clean clones, verified as docs/how-to/verify-a-release.md says, then installed
 * and run from these files alone. A user's machine has no checkout, so nothing here uses the one of the test.
 */

const folder = sharedFolder();
const release = () => join(folder.path, "release");
const fileOf = (name: string) => join(release(), name);

async function build(name: string): Promise<void> {
  const out = join(folder.path, name);
  const args = [
    "infra/release/main.ts",
    "--out",
    out,
    "--key",
    join(folder.path, "key.pem"),
    "--builder",
    "urn:test",
  ];
  await succeeded(process.execPath, args, { cwd: paths.root });
}

beforeAll(async () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  await writeFile(join(folder.path, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }), {
    mode: 0o600,
  });
  // Most of the time is waiting for npm, apt and the disk.
  await Promise.all([build("release"), build("again")]);
}, 900_000);

test("When a commit is built twice, every file should have the same bytes", async () => {
  const digests = await digestsIn(release());
  expect(digests).toEqual(await digestsIn(join(folder.path, "again")));
  const functions = (await functionNames()).map(artefacts.functionArchive);
  const { npmPackage, image, chart } = artefacts;
  const built = [npmPackage, image, chart, ...functions];
  expect([...digests.keys()]).toEqual(expect.arrayContaining(built));
});

/** The shell commands of the page, which a reader runs in the folder of the files. */
async function commandsOfPage(): Promise<readonly string[]> {
  const page = await readFile(join(paths.root, "docs/how-to/verify-a-release.md"), "utf8");
  return [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
}

/** A copy of the release's files without those that are large. */
async function copyOfRelease(): Promise<string> {
  const copy = await mkdtemp(join(folder.path, "copy-"));
  const isLarge = (path: string) => path.endsWith(".tar");
  await cp(release(), copy, { recursive: true, filter: (path) => !isLarge(path) });
  return copy;
}

describe("docs/how-to/verify-a-release.md", () => {
  test("When its commands are run, they should show the key, the commit and the image's digest twice", async () => {
    const blocks = await commandsOfPage();
    expect(blocks).toHaveLength(3);
    const { stdout } = await succeeded("bash", ["-euo", "pipefail", "-c", blocks.join("\n")], {
      cwd: release(),
    });
    await rm(fileOf("image.sig"));
    const { stdout: commit } = await succeeded("git", ["rev-parse", "HEAD"], { cwd: paths.root });
    expect(JSON.parse(stdout.slice(stdout.indexOf("{"))).commit).toBe(commit.trim());
    const [, digest = "none"] = /^sha256:(\w+)$/m.exec(stdout) ?? [];
    expect(stdout).toContain(`\n${digest}  -\n`);
    expect(stdout.match(/Signature Verified Successfully/g)).toHaveLength(2);
    const { keyid } = JSON.parse(await readFile(fileOf(artefacts.provenance), "utf8")).signatures[0];
    expect(stdout.startsWith(`${keyid}  -\n`)).toBe(true);
  });

  test.for([
    { what: "an artefact", file: artefacts.npmPackage },
    { what: "a list of components", file: sbomOf(artefacts.npmPackage) },
    { what: "the list of checksums", file: artefacts.checksums },
  ])("When $what was changed, they should fail", async ({ file }) => {
    const [block = ""] = await commandsOfPage();
    const copy = await copyOfRelease();
    const verified = () => finished("bash", ["-euo", "pipefail", "-c", block], { cwd: copy });
    expect((await verified()).code).toBe(0);
    await writeFile(join(copy, file), `${await readFile(join(copy, file), "latin1")} `, "latin1");
    expect((await verified()).code).not.toBe(0);
  });
});

test("When the provenance is read, its signature should be valid and its subjects be all artefacts", async () => {
  const { payloadType, payload, signatures } = JSON.parse(
    await readFile(fileOf(artefacts.provenance), "utf8"),
  );
  const body = Buffer.from(payload, "base64");
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `),
    body,
  ]);
  const key = createPublicKey(await readFile(fileOf(artefacts.publicKey), "utf8"));
  const isValid = (bytes: Buffer) => verify(null, bytes, key, Buffer.from(signatures[0].sig, "base64"));
  expect([isValid(signed), isValid(Buffer.concat([signed, Buffer.from(" ")]))]).toEqual([true, false]);

  const statement = JSON.parse(body.toString());
  expect(statement).toMatchObject({
    _type: "https://in-toto.io/Statement/v1",
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: { runDetails: { builder: { id: "urn:test" } } },
  });
  const subjects: readonly { name: string; digest: { sha256: string } }[] = statement.subject;
  const digests = await digestsIn(release());
  for (const { name, digest } of subjects) expect([name, digests.get(name)]).toEqual([name, digest.sha256]);
  const described = new Set(subjects.map(({ name }) => name));
  const others = [...digests.keys()].filter((name) => !described.has(name));
  expect(others.filter((name) => /\.(?:tgz|zip|tar|cdx\.json)$/.test(name))).toEqual([]);
  const uris: readonly string[] = statement.predicate.buildDefinition.resolvedDependencies.map(
    ({ uri }: Readonly<{ uri: string }>) => uri,
  );
  for (const architecture of ["amd64", "arm64"])
    expect(uris).toContainEqual(
      expect.stringMatching(new RegExp(`^pkg:deb/debian/libc6@.*arch=${architecture}$`)),
    );
});

test("When components are listed, each list should be valid by CycloneDX's schema and have what is bundled", async () => {
  const tool = await installedTool("package-lint", (line) => process.stdout.write(`${line}\n`));
  const library = createRequire(join(tool, "package.json")).resolve(
    "@cyclonedx/cyclonedx-library/package.json",
  );
  const schema = async (name: string) =>
    JSON.parse(await readFile(join(dirname(library), "res/schema", `${name}.SNAPSHOT.schema.json`), "utf8"));
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addFormat("iri-reference", true).addFormat("idn-email", true);
  for (const name of ["spdx", "jsf-0.82"]) {
    // Referred to by its file name, not by its own id.
    const { $id: _, ...content } = await schema(name);
    ajv.addSchema(content, `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  }
  const validate = ajv.compile(await schema("bom-1.5"));
  const lists = (await readdir(release())).filter((name) => name.endsWith(".cdx.json"));
  expect(lists).toHaveLength(3 + (await functionNames()).length);
  for (const name of lists) {
    const list = JSON.parse(await readFile(fileOf(name), "utf8"));
    expect([name, validate(list) ? "" : ajv.errorsText(validate.errors)]).toEqual([name, ""]);
    expect(list.metadata.component).toMatchObject({ name: "hubrelay", version: packageJson.version });
    const components: readonly string[] = list.components.map((one: Readonly<{ name: string }>) => one.name);
    expect(components).toContain("yaml");
    // The queues of `hubrelay dev` and `hubrelay run`, which no function has.
    const hasQueues = name.startsWith("hubrelay-image-") || name === sbomOf(artefacts.npmPackage);
    expect([name, components.includes("fauxqs")]).toEqual([name, hasQueues]);
    expect(components.filter((one) => /^(?:vitest|typescript|esbuild)$/.test(one))).toEqual([]);
  }
  expect(validate({ bomFormat: "CycloneDX" })).toBe(false);
});

describe("from the files of the release alone", () => {
  let installed = "";
  const examples = () => join(installed, "node_modules/hubrelay/examples");
  const hubrelay = (args: readonly string[]) =>
    finished(join(installed, "node_modules/.bin/hubrelay"), args, {
      cwd: installed,
      env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: installed },
    });

  beforeAll(async () => {
    installed = join(folder.path, "installed");
    await mkdir(installed);
    await writeFile(join(installed, "package.json"), '{"private":true}\n');
    const offline = ["--offline", "--cache", join(folder.path, "empty-cache"), "--no-audit", "--no-fund"];
    const env = outsideOfNpm(process.env);
    await succeeded("npm", ["install", ...offline, fileOf(artefacts.npmPackage)], { cwd: installed, env });
  });

  test("When the npm package is installed without a network, it should find the error of the examples and configure the rest", async () => {
    const validated = await hubrelay(["validate", "-f", join(examples(), "hub/mistake.yaml")]);
    expect(validated).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Give every rule of this source one mirrorSourcePolicy"),
    });
    const { code, stdout, stderr } = await hubrelay(["dev", "--once"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("99-worker-generated-registries");
  });
});
