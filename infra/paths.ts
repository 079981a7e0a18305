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
  /** Outside the clone, so that the next clone reuses what takes minutes to build, compile or fetch. */
  machineCache: join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "hubrelay"),
  /** `NAME.zip` for Lambda, and `NAME/`, the same files unpacked. */
  lambda: inRoot("dist/lambda"),
  cloudformation: inRoot("dist/cloudformation"),
  npm: inRoot("dist/npm"),
  container: inRoot("dist/container"),
  executable: inRoot("dist/executable"),
  chart: inRoot("dist/helm/hubrelay"),
  /** Generated from the schemas of outcome events, and committed; of the page only a part is generated. */
  outcomeSchema: inRoot("docs/reference/events.schema.json"),
  /** Generated from the fields of a repository's settings, and committed. */
  configSchema: inRoot("docs/reference/config.schema.json"),
  registrySchema: inRoot("infra/aws/outcome-schema.yml"),
  outcomePage: inRoot("docs/reference/events.md"),
  /** Both are generated from the schema of what a result covers; of the page only a part is. */
  coverageSchema: inRoot("docs/reference/coverage.schema.json"),
  coveragePage: inRoot("docs/reference/coverage.md"),
  /** Its tables are generated from the register of issue codes. */
  issuePage: inRoot("docs/reference/issues.md"),
  /** Its tables are generated from the CustomResourceDefinitions in `infra/crds`. */
  kindsPage: inRoot("docs/reference/kinds.md"),
  /** Its table is generated from bench/results.json. */
  performancePage: inRoot("contributing/performance.md"),
  /** Its states of a cluster are generated from the table that pre-caching uses. */
  precachingPage: inRoot("docs/reference/precaching.md"),
  /** Its second part is generated from the commands of the program. */
  commandPage: inRoot("docs/reference/commands.md"),
} as const;
