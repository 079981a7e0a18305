import { InvalidArgumentError, Option } from "commander";
import { nearestName } from "#shared/domain/issues/nearest-name.ts";
import { type FailCondition, failConditions } from "#shared/domain/repository/fail-on.ts";

function conditionOf(text: string): FailCondition {
  const found = failConditions.find((one) => one === text);
  if (found) return found;
  const nearest = nearestName(text, failConditions);
  throw new InvalidArgumentError(
    nearest ? `Did you mean ${nearest}?` : `It must be a list of ${failConditions.join(", ")}.`,
  );
}

/** `--fail-on` of commands that a pull request runs. */
export const failOnOption = () =>
  new Option(
    "--fail-on <list>",
    `exit with 1 for these as well as for errors: ${failConditions.join(", ")}; a cost stands for higher ones too`,
  )
    .argParser((text) => text.split(",").map((one) => conditionOf(one.trim())))
    .default(undefined, "failOn of .hubrelay.yaml, else error");
