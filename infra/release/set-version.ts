import packageJson from "../../package.json" with { type: "json" };
import { succeeded } from "../command.ts";
import { paths } from "../paths.ts";
import { writeVersion } from "./version-mentions.ts";

/* Runs within `npm version`, after it has changed package.json and before its commit. */
const changed = await writeVersion(packageJson.version);
if (changed.length > 0) await succeeded("git", ["add", "--", ...changed], { cwd: paths.root });
