import { rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { succeeded } from "./command.ts";
import { makeContainerRoot } from "./container-root.ts";
import { paths } from "./paths.ts";

/**
 * Runs `npm run image`: builds the container image of the Containerfile as the OCI archive
 * `dist/container/hubrelay-VERSION.tar`, without a container engine or network. Equal sources on equal machines give equal
 * images.
 */
async function main(): Promise<void> {
  const folder = paths.container;
  await makeContainerRoot(join(folder, "root"));
  const storage = join(folder, "storage");
  const policy = join(folder, "policy.json");
  await writeFile(policy, JSON.stringify({ default: [{ type: "insecureAcceptAnything" }] }));
  const image = `hubrelay:${packageJson.version}`;
  const archive = join(folder, `hubrelay-${packageJson.version}.tar`);
  await rm(archive, { force: true });
  const buildah = (...args: readonly string[]) =>
    succeeded("buildah", ["--root", join(storage, "root"), "--runroot", join(storage, "run"), ...args], {
      cwd: folder,
      env: { ...process.env, STORAGE_DRIVER: "vfs", BUILDAH_ISOLATION: "chroot" },
    });
  const containerfile = join(paths.root, "Containerfile");
  const signatures = ["--signature-policy", policy];
  try {
    await buildah("bud", ...signatures, "--timestamp", "0", "--file", containerfile, "--tag", image, folder);
    await buildah("push", ...signatures, image, `oci-archive:${archive}:${image}`);
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
  const { size } = await stat(archive);
  process.stdout.write(`${relative(paths.root, archive)}: ${image}, ${(size / 1e6).toFixed(0)} MB\n`);
}

try {
  await main();
} catch (error) {
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  const hint = isMissing ? ". On Debian or Ubuntu, run .ci/install-container.sh to install it" : "";
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${hint}\n`);
  process.exitCode = 1;
}
