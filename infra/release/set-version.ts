import packageJson from "../../package.json" with { type: "json" };
import { paths } from "../paths.ts";
import { succeeded } from "../run-program.ts";
import { writeVersion } from "./version-mentions.ts";

/* `npm version` runs this script after it has changed package.json and before it commits. */
const changed = await writeVersion(packageJson.version);
await succeeded("git", ["add", "--", ...changed], { cwd: paths.root });
