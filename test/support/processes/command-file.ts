import { join } from "node:path";
import { paths } from "../../../infra/paths.ts";

/** Where `npm test` builds the command, as deep as the bundle of the npm package, which finds its files from there. */
export const bundledCommand = join(paths.cache, "hubrelay/main.js");

/** What tests start as the `hubrelay` command: in `npm test` its bundle, which starts faster than the sources. */
export const commandFile = process.env.TESTED_COMMAND ?? join(paths.root, "cli/main.ts");
