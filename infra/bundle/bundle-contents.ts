import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import { paths } from "../paths.ts";

/** Packages that every bundle may contain. Each slows every cold start, so measure a package before you add it. */
const permitted = [
  /^@aws-sdk\//,
  /^@smithy\//,
  /^@aws\//,
  /^@middy\/core$/,
  /^lru-cache$/,
  /^p-map$/,
  /^bowser$/,
  /^tslib$/,
  /^yaml$/,
  /^zod$/,
  // The Kubernetes client and the HTTP client. They are loaded only if the hub is a Kubernetes API.
  /^@kubernetes\/client-node$/,
  /^undici$/,
  /^js-yaml$/,
  /^(?:openid-client|oauth4webapi|rfc4648|jsonpath-plus)$/,
  /^(?:socks|socks-proxy-agent|smart-buffer|ip-address|agent-base|debug|ms|hpagent)$/,
];

const permittedFor: Readonly<Record<string, readonly RegExp[]>> = {
  "hosted-clusters": [/^modern-tar$/],
  "precache-ready": [/^@iarna\/toml$/, /^@sigstore\/core$/, /^modern-tar$/],
  // mirror-config loads modern-tar only if a release has to be read.
  "mirror-config": [/^@iarna\/toml$/, /^modern-tar$/],
};

/** Returns the names of the packages that contribute bytes to a bundle, sorted. */
export function packagesIn(metafile: Metafile): readonly string[] {
  const names = packageFoldersIn(metafile).map((folder) => folder.replace(/^.*node_modules\//, ""));
  return [...new Set(names)].sort(byCodeUnit);
}

/** Returns the folders of a bundle's packages, sorted. A package in two versions has two folders. */
export function packageFoldersIn(metafile: Metafile): readonly string[] {
  const folders = new Set<string>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
      const folder = folderOf(path);
      if (folder && bytesInOutput > 0) folders.add(folder);
    }
  }
  return [...folders].sort(byCodeUnit);
}

/** Throws if a bundle contains a package that is not permitted for the function. */
export function refuseForeignPackages(functionName: string, packages: readonly string[]): void {
  const allowed = [...permitted, ...(permittedFor[functionName] ?? [])];
  const foreign = packages.filter((name) => !allowed.some((pattern) => pattern.test(name)));
  if (foreign.length === 0) return;
  throw new Error(
    `functions/${functionName} would contain ${foreign.join(", ")}: import less, or permit it in infra/bundle/bundle-contents.ts`,
  );
}

function folderOf(path: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
}

/** Returns one text with the licence, name and version of each package in a bundle. */
export async function licencesOf(metafile: Metafile): Promise<string> {
  const licences = await Promise.all(packageFoldersIn(metafile).map(licenceIn));
  return licences.join(`\n${"-".repeat(80)}\n\n`);
}

async function licenceIn(folder: string): Promise<string> {
  const path = join(paths.root, folder);
  const { name, version, license } = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
  const file = (await readdir(path)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : await readFile(join(path, file), "utf8");
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
