import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { chartManifest, chartManifestPath } from "../chart/chart-files.ts";
import { paths } from "../paths.ts";
import { succeeded } from "../run-program.ts";
import { writeVersion } from "./version-mentions.ts";

/* Runs within `npm version`, after it has changed package.json and before its commit. */
const changed = await writeVersion(packageJson.version);
await writeFile(join(paths.root, chartManifestPath), chartManifest(packageJson.version));
await succeeded("git", ["add", "--", chartManifestPath, ...changed], { cwd: paths.root });
