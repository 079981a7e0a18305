import { readFileSync } from "node:fs";
import { parse } from "yaml";
import * as z from "zod";
import { packageFile } from "../../cli/program/package-files.ts";

const breakSchema = z.strictObject({
  /** The file that is changed, and the text in it that is replaced. */
  in: z.string(),
  from: z.string().min(1),
  to: z.string(),
  /** The test file, and the title of the test in it, as it is written there. */
  test: z.string(),
  fails: z.string(),
});

const claimSchema = z
  .strictObject({
    claim: z.string(),
    /** Who is kept from what. */
    keeps: z.string(),
    breaks: z.array(breakSchema),
    /** Why no change of a file can show that a test notices. */
    unbroken: z.string().optional(),
    others: z.array(z.string()).default([]),
  })
  .refine(
    ({ breaks, unbroken }) => breaks.length > 0 !== (unbroken !== undefined),
    "either breaks or unbroken",
  );

/** A claim about security, and the changes that break it. */
export type SecurityClaim = z.infer<typeof claimSchema>;
export type Break = z.infer<typeof breakSchema>;

export const securityClaims: readonly SecurityClaim[] = z
  .array(claimSchema)
  .parse(parse(readFileSync(packageFile("test/claims/claims.yaml"), "utf8")));

/** Returns a file's text with the change. Throws unless the replaced text occurs once: then the claim needs another. */
export function broken(text: string, { in: file, from, to }: Break): string {
  const [before, after, ...more] = text.split(from);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file} has ${JSON.stringify(from)} ${text.split(from).length - 1} times, not once`);
  return `${before}${to}${after}`;
}
