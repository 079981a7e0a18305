import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { source } from "../built-commit.ts";
import { packageFoldersIn } from "../bundle/bundle-contents.ts";
import type { DebianPackage } from "../image/root.ts";
import { paths } from "../paths.ts";
import { succeeded } from "../run-program.ts";

const component = z.looseObject({
  "bom-ref": z.string(),
  name: z.string(),
  version: z.string(),
  properties: z.array(z.looseObject({ name: z.string() })),
});
type Component = z.infer<typeof component>;
const dependency = z.object({ ref: z.string(), dependsOn: z.array(z.string()) });
const bom = z.looseObject({
  metadata: z.looseObject({ component }),
  components: z.array(component),
  dependencies: z.array(dependency),
});

/** Returns the CycloneDX document of hubrelay's npm package, with the bundled and the installed packages. */
export async function npmPackageSbom(metafile: Metafile): Promise<string> {
  const installed = Object.keys(packageJson.dependencies).map((name) => `node_modules/${name}`);
  return sbom([...packageFoldersIn(metafile), ...installed]);
}

/** Returns the CycloneDX document of a function's archive. */
export function functionSbom(metafile: Metafile): Promise<string> {
  return sbom(packageFoldersIn(metafile));
}

/** Returns the CycloneDX document of a container image: bundled packages, Node, and the C library's packages. */
export async function bundleSbom(
  metafile: Metafile,
  nodePackage: string,
  debian: readonly DebianPackage[],
): Promise<string> {
  const { version } = JSON.parse(await readFile(nodePackage, "utf8"));
  const node = {
    "bom-ref": `node@${version}`,
    type: "platform",
    name: "node",
    version,
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    properties: [],
  };
  const libraries = debian.map(({ name, version, architecture, sha256 }) => {
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
    return {
      "bom-ref": purl,
      type: "library",
      name,
      version,
      purl,
      hashes: [{ alg: "SHA-256", content: sha256 }],
      properties: [],
    };
  });
  return sbom(packageFoldersIn(metafile), [node, ...libraries]);
}

/** Returns a CycloneDX document with the commit's time and no serial number, so that it is reproducible. */
async function sbom(folders: readonly string[], others: readonly Component[] = []): Promise<string> {
  const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"];
  const { stdout } = await succeeded("npm", args, { cwd: paths.root });
  const { serialNumber: _random, ...all } = bom.parse(JSON.parse(stdout));
  const refs = new Set(await Promise.all(folders.map(refOf)));
  const bundled = all.components
    .filter((one) => refs.delete(one["bom-ref"]))
    .map((one) => ({ ...one, properties: one.properties.filter(({ name }) => !/development/.test(name)) }));
  if (refs.size > 0) throw new Error(`npm sbom does not list ${[...refs].join(", ")}`);
  const kept = new Set(bundled.map((one) => one["bom-ref"]));
  const self = { ...all.metadata.component, name: packageJson.name };
  const direct = [...kept, ...others.map((one) => one["bom-ref"])];
  const timestamp = new Date((await source()).seconds * 1000).toISOString();
  const document = {
    ...all,
    metadata: { ...all.metadata, timestamp, component: self },
    components: [...bundled, ...others],
    dependencies: [
      { ref: self["bom-ref"], dependsOn: direct },
      ...all.dependencies
        .filter(({ ref }) => kept.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => kept.has(name)) })),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

async function refOf(folder: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(paths.root, folder, "package.json"), "utf8"));
  return `${name}@${version}`;
}
