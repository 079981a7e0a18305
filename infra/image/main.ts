import { rename, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { source } from "../built-commit.ts";
import { runScript, scriptCommand } from "../npm-script.ts";
import { paths } from "../paths.ts";
import { succeeded } from "../run-program.ts";
import { installedTool } from "../tool-folder.ts";
import { imageParts, makeContainerRoot, platforms } from "./root.ts";

/**
 * Builds the image without a container engine and without running programs of another architecture. Equal sources with
 * equal packages of the C library give equal images.
 */
async function main(): Promise<void> {
  const folder = paths.container;
  const nodes = await installedTool("image-node", print);
  const parts = await imageParts(nodes, join(folder, "packages"));
  for (const platform of platforms)
    await makeContainerRoot(platform, parts, join(folder, platform.architecture));
  const archive = join(folder, `hubrelay-${packageJson.version}.tar`);
  const image = `hubrelay:${packageJson.version}`;
  await buildImage(image, archive);
  const { size } = await stat(archive);
  const names = platforms.map(({ architecture }) => architecture).join(" and ");
  print(`${relative(paths.root, archive)}: ${image} for ${names}, ${(size / 1e6).toFixed(0)} MB`);
}

async function buildImage(image: string, archive: string): Promise<void> {
  const folder = paths.container;
  const storage = join(folder, "storage");
  const policy = join(folder, "policy.json");
  await writeFile(policy, JSON.stringify({ default: [{ type: "insecureAcceptAnything" }] }));
  const layout = join(folder, "layout");
  const unfinished = `${archive}.part`;
  await rm(layout, { recursive: true, force: true });
  const buildah = (...args: readonly string[]) =>
    succeeded("buildah", ["--root", join(storage, "root"), "--runroot", join(storage, "run"), ...args], {
      cwd: folder,
      env: { ...process.env, STORAGE_DRIVER: "vfs", BUILDAH_ISOLATION: "chroot" },
    });
  const { revision, seconds } = await source();
  const labels = Object.entries(imageLabels(revision, seconds)).flatMap(([name, value]) => [
    "--label",
    `org.opencontainers.image.${name}=${value}`,
  ]);
  const trusted = ["--signature-policy", policy];
  const same = [...trusted, ...labels, "--timestamp", String(seconds), "--manifest", image];
  const containerfile = join(paths.root, "Containerfile");
  try {
    for (const { architecture } of platforms) {
      const platform = ["--platform", `linux/${architecture}`];
      await buildah("bud", ...same, ...platform, "--file", containerfile, join(folder, architecture));
    }
    await buildah("manifest", "push", "--all", ...trusted, image, `oci:${layout}:${image}`);
    // An archive made by buildah would contain the current times of its files, so no two builds would be equal.
    const tar = [
      "--sort=name",
      `--mtime=@${seconds}`,
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--mode=a+rX",
    ];
    const files = ["index.json", "oci-layout", "blobs"];
    await succeeded("tar", ["--create", ...tar, "--file", unfinished, "--directory", layout, ...files], {
      cwd: folder,
    });
    await rename(unfinished, archive);
  } finally {
    for (const path of [storage, layout, unfinished]) await rm(path, { recursive: true, force: true });
  }
}

function imageLabels(revision: string, seconds: number): Readonly<Record<string, string>> {
  return {
    title: packageJson.name,
    description: packageJson.description,
    version: packageJson.version,
    revision,
    created: new Date(seconds * 1000).toISOString(),
    source: packageJson.repository.url.replace(/^git\+|\.git$/g, ""),
    documentation: packageJson.homepage,
    vendor: packageJson.author,
    licenses: packageJson.license,
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await runScript("image", async () => {
  scriptCommand("image")
    .description("Build the container image for amd64 and arm64, as an OCI archive in dist/container.")
    .parse();
  try {
    await main();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing) throw error;
    const hint = "On Debian 12, run .ci/install-container.sh to install it";
    throw new Error(`${error.message}. ${hint}`, { cause: error });
  }
});
