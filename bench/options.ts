import { InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import { scriptCommand } from "../infra/npm-script.ts";
import type { BenchOptions, Claim } from "./claim.ts";

const parsed = z.object({
  smoke: z.boolean().default(false),
  record: z.boolean().optional(),
  only: z.array(z.string()).optional(),
});

/** Returns the options of `npm run bench`. `only` has the chosen claims; it is absent for all claims. */
export function benchOptions(
  claims: readonly Pick<Claim, "name" | "goal">[],
  args: readonly string[],
): BenchOptions & Readonly<{ record?: boolean | undefined; only?: readonly string[] | undefined }> {
  const names = claims.map(({ name }) => name);
  const addClaim = (name: string, previous: readonly string[] = []): readonly string[] => {
    if (names.includes(name)) return [...previous, name];
    throw new InvalidArgumentError(`No such claim, only ${names.join(", ")}.`);
  };
  const command = scriptCommand("bench")
    .description(
      "Measure every claim about performance, and print a table of ratios. A ratio compares two subjects of the same " +
        "run, so it can be checked on any machine; the times depend on the machine.",
    )
    .option("--smoke", "use small sizes and few rounds, and judge goals with a margin of a quarter")
    .option("--only <claim>", "measure only this claim; repeatable", addClaim)
    .addOption(
      new Option(
        "--record",
        "write the results to bench/results.json, from which npm run docs makes the table of contributing/performance.md",
      ).conflicts("smoke"),
    )
    .addHelpText("after", `\nClaims:\n${claims.map(({ name, goal }) => `  ${name}: ${goal}`).join("\n")}`)
    .addHelpText(
      "after",
      "\nExit codes: 0 fine, 1 a claim was not measured or a goal missed, other than of wall time or a known miss, 2 wrong usage.",
    );
  return parsed.parse(command.parse(args, { from: "user" }).opts());
}
