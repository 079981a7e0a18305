import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import * as z from "zod";
import { paths } from "../../../infra/paths.ts";

const specification = z.object({
  spec: z.object({
    inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string().optional() })),
  }),
});
const jobs = z.record(
  z.string(),
  z.object({
    stage: z.string(),
    image: z.string(),
    variables: z.record(z.string(), z.union([z.string(), z.number()])),
    before_script: z.array(z.string()),
    script: z.array(z.string()),
  }),
);

/** Returns the inputs of the GitLab component, and its jobs for given inputs, as GitLab fills them in. */
export async function readComponent(given: Readonly<Record<string, string>> = {}) {
  const text = await readFile(join(paths.root, "templates/check.yml"), "utf8");
  const [head, body = ""] = text.split(/^---$/m);
  const { inputs } = specification.parse(parseAllDocuments(head ?? "")[0]?.toJS()).spec;
  const filled = body.replaceAll(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => {
    const value =
      new Map(Object.entries(given)).get(name) ?? new Map(Object.entries(inputs)).get(name)?.default;
    if (value === undefined) throw new Error(`the input ${name} has no value`);
    return value;
  });
  return { inputs, jobs: jobs.parse(parseAllDocuments(filled)[0]?.toJS()) };
}
