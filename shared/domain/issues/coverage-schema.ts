import * as z from "zod";
import { sentence } from "../text/redact.ts";
import { assumedParts } from "./coverage.ts";

const more = "later versions may add some";
const counted = {
  what: z.string().describe("a kind, or one object or file"),
  count: z.int().min(1).describe("how many of them"),
};
const unread = z.object({
  ...counted,
  why: z.string().describe(sentence`why it was not read, as below; ${more}`),
});
const assumption = z.object({
  what: z.string().describe(sentence`what it is about: ${assumedParts.join(", ")}; ${more}`),
  text: z.string().describe("what is assumed, as a part of a sentence"),
});
const enforced = z.object({
  policy: z.string().describe("the policy"),
  by: z.array(z.string()).describe("ClusterGroupUpgrades that manage it"),
  clusters: z.array(z.string()).describe("the clusters that get it; empty where they are not known"),
});

/** The schema of the field `coverage`. Only tools and tests import this file, so that the command stays small. */
const shape = z
  .object({
    complete: z.boolean().describe("nothing is unread, and nothing is assumed"),
    read: z.array(z.object(counted)).describe("what the result is about"),
    unread: z.array(unread).describe("what was there and was not read"),
    assumed: z.array(assumption).describe("what the input does not say"),
    enforced: z
      .array(enforced)
      .optional()
      .describe("policies that only inform, and that ClusterGroupUpgrades of the input enforce"),
  })
  .meta({ $id: "urn:hubrelay:coverage:1", title: "What a result of hubrelay covers" });

/** Returns the JSON Schema (2020-12) of the field `coverage`. It accepts the fields that later versions add. */
export function coverageJsonSchema(): z.core.JSONSchema.JSONSchema {
  return z.toJSONSchema(shape, {
    io: "input",
    override: ({ jsonSchema }) => {
      // Zod sets this maximum for every integer; it is not part of the contract.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}
