import packageJson from "../../package.json" with { type: "json" };
import { paths } from "../paths.ts";
import { succeeded } from "../run-program.ts";
import { writeVersion } from "./version-mentions.ts";

/* Runs within `npm version`, after it has changed package.json and before its commit. */
const changed = await writeVersion(packageJson.version);
await succeeded("git", ["add", "--", ...changed], { cwd: paths.root });
