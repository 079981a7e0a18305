import { hash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { succeeded } from "../run-program.ts";

/** A package that apt has downloaded and verified. */
export type DebianPackage = Readonly<{
  name: string;
  version: string;
  architecture: string;
  file: string;
  sha256: string;
}>;

/**
 * Downloads Debian packages, each for every architecture, from the machine's sources of packages but with a state of its
 * own in a folder: the machine needs no foreign architecture and no root. apt verifies the signatures. Throws with apt's
 * message, for instance where a source has no such architecture.
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
