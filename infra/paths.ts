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
  /** Outside the clone, so that another clone reuses files that take minutes to build, compile or fetch. */
  machineCache: join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "hubrelay"),
  /** `NAME.zip` for Lambda, and `NAME/` with the same files unpacked. */
  lambda: inRoot("dist/lambda"),
  cloudformation: inRoot("dist/cloudformation"),
  npm: inRoot("dist/npm"),
  container: inRoot("dist/container"),
  chart: inRoot("dist/helm/hubrelay"),
  /** Generated from the schemas of outcome events, and committed. */
  outcomeSchema: inRoot("docs/reference/events.schema.json"),
} as const;
