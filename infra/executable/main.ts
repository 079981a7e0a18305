import { hash } from "node:crypto";
import { copyFile, glob, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { build } from "esbuild";
import * as z from "zod";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import packageJson from "../../package.json" with { type: "json" };
import { moduleOptions } from "../bundle/bundle.ts";
import { buildTools, withConsole } from "../bundle/bundle-console.ts";
import { licencesOf } from "../bundle/licences.ts";
import { runScript, scriptCommand } from "../npm-script.ts";
import { paths } from "../paths.ts";
import { bundleSbom } from "../release/sbom.ts";
import { succeeded } from "../run-program.ts";
import { installedTool } from "../tool-folder.ts";

/** Marks the place in Node's program that says whether something is injected: Node's documentation names it. */
const sentinelFuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const injector = z.object({
  inject: z.custom<
    (
      program: string,
      resource: string,
      content: Buffer,
      options: Readonly<Record<string, string>>,
    ) => Promise<void>
  >((value) => typeof value === "function"),
});

/** Builds one file for Linux that has Node, the command and the files that it needs: `dist/executable/hubrelay`. */
async function main(): Promise<void> {
  const folder = paths.executable;
  await rm(folder, { recursive: true, force: true });
  const { metafile } = await build({
    ...moduleOptions,
    entryPoints: { main: "cli/main.ts" },
    outdir: folder,
    external: buildTools,
    metafile: true,
  });
  const whole = await withConsole(metafile, folder);
  await writeFile(join(folder, "licences.txt"), await licencesOf(whole));
  const node = join(paths.root, "node_modules/node/node_modules", `node-linux-${process.arch}`);
  await copyFile(join(node, "LICENSE"), join(folder, "licence-of-node.txt"));
  await writeFile(join(folder, "sbom.cdx.json"), await bundleSbom(whole, join(node, "package.json")));
  const start = join(folder, "start.cjs");
  await build({
    entryPoints: [join(paths.root, "infra/executable/start.ts")],
    outfile: start,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
  });
  const blob = join(folder, "hubrelay.blob");
  const configuration = join(folder, "configuration.json");
  await writeFile(
    configuration,
    JSON.stringify({
      // The blob has this path in it, which is the same in every checkout.
      main: relative(paths.root, start),
      output: blob,
      disableExperimentalSEAWarning: true,
      // The way in which start.ts loads the modules is experimental.
      execArgv: ["--disable-warning=ExperimentalWarning"],
      assets: await assetsWithDigest(folder),
    }),
  );
  await succeeded(process.execPath, ["--experimental-sea-config", configuration], { cwd: paths.root });
  const program = join(folder, "hubrelay");
  await copyFile(process.execPath, program);
  await inject(program, await readFile(blob));
  const { size } = await stat(program);
  process.stdout.write(`${relative(paths.root, program)}: ${(size / 1e6).toFixed(0)} MB\n`);
}

async function inject(program: string, blob: Buffer): Promise<void> {
  const tool = await installedTool("executable", (line) => process.stdout.write(`${line}\n`));
  const loaded: unknown = createRequire(join(tool, "package.json"))("postject");
  await injector.parse(loaded).inject(program, "NODE_SEA_BLOB", blob, { sentinelFuse });
}

/** Returns the files inside of the executable by their paths, which are those in a checkout, with their digest. */
async function assetsWithDigest(folder: string): Promise<Readonly<Record<string, string>>> {
  const patterns = [
    join(relative(paths.root, folder), "**/*.{js,css,txt}"),
    ...packageJson.files.filter((path) => /^(?:examples|infra)\//.test(path)),
  ].map((path) => (/[*]/.test(path) ? path : join(path, "**/*.*")));
  const files = (await Array.fromAsync(glob(patterns, { cwd: paths.root }))).sort(byCodeUnit);
  const contents = await Promise.all(files.map((path) => readFile(join(paths.root, path))));
  const digest = join(folder, "digest");
  const digests = contents.map((content, index) => `${files[index]} ${hash("sha256", content)}`);
  await writeFile(digest, `${packageJson.version}-${hash("sha256", digests.join("\n")).slice(0, 16)}`);
  return Object.fromEntries([...files.map((path) => [path, join(paths.root, path)]), ["digest", digest]]);
}

await runScript("executable", async () => {
  scriptCommand("executable")
    .description("Build the command with Node as one file for Linux: dist/executable/hubrelay.")
    .parse();
  await main();
});
