import { fileURLToPath } from "node:url";

const inRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Where the build reads and writes, absolute. Everything below `dist` can be made again. */
export const paths = {
  root: inRoot("."),
  functions: inRoot("functions"),
  tools: inRoot("tools"),
  cache: inRoot(".cache"),
  /** `NAME.zip`, which Lambda gets, and `NAME/`, the same files unpacked. */
  lambda: inRoot("dist/lambda"),
  cloudformation: inRoot("dist/cloudformation"),
  npm: inRoot("dist/npm"),
  container: inRoot("dist/container"),
  /** Made from the schemas of outcome events and committed; of the page a part is. */
  outcomeSchema: inRoot("docs/events.schema.json"),
  outcomePage: inRoot("docs/events.md"),
} as const;
