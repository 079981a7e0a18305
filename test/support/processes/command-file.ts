import { join } from "node:path";
import { paths } from "../../../infra/paths.ts";

/** What tests start as the `hubrelay` command: in `npm test` its bundle, which starts faster than the sources. */
export const commandFile = process.env.TESTED_COMMAND ?? join(paths.root, "cli/main.ts");
