import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The absolute paths that the build reads and writes. Everything below `dist` is generated. */
export const paths = {
  root: inRoot("."),
  functions: inRoot("functions"),
  tools: inRoot("tools"),
  cache: inRoot(".cache"),
  /** A folder outside the clone. Another clone reuses its files, which take minutes to build or fetch. */
  machineCache: join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "hubrelay"),
  /** The folder with `NAME.zip` for each function on Lambda, and a folder `NAME` with the unpacked files. */
  lambda: inRoot("dist/lambda"),
  cloudformation: inRoot("dist/cloudformation"),
  npm: inRoot("dist/npm"),
  container: inRoot("dist/container"),
  chart: inRoot("dist/helm/hubrelay"),
  outcomeSchema: inRoot("docs/reference/events.schema.json"),
} as const;
