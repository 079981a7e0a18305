import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { parse } from "yaml";
import * as z from "zod";
import { scriptCommand } from "./npm-script.ts";
import { paths } from "./paths.ts";

export type StackAction = "package" | "deploy" | "remove";

const summaries: Readonly<Record<StackAction, string>> = {
  package: "Build the artefacts and the CloudFormation template, without an account.",
  deploy: "Build the artefacts and the CloudFormation template, and create or update the stack.",
  remove: "Delete the stack with its queues and the messages in them.",
};
const value = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform((one) => String(one ?? ""));
const configuration = z.object({
  provider: z.object({ stage: z.string() }),
  params: z.record(z.string(), z.record(z.string(), value).nullable()),
});
const parsed = z.object({
  stage: z.string().optional(),
  region: z.string().optional(),
  param: z.array(z.string()).default([]),
  awsProfile: z.string().optional(),
  verbose: z.boolean().optional(),
  force: z.boolean().optional(),
});

/**
 * Returns the options for osls, the deployment tool, from `args` of `npm run package`, `deploy` or `remove`. Throws
 * commander's error for wrong options, and also for `--help`, after commander has printed the help.
 */
export function stackOptions(
  action: StackAction,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  serverlessYml: string = readFileSync(join(paths.root, "serverless.yml"), "utf8"),
): readonly string[] {
  // The YAML parser does not know CloudFormation's tags, and would print warnings.
  const { provider, params } = configuration.parse(parse(serverlessYml, { logLevel: "error" }));
  const { stage, region, param, awsProfile, verbose, force } = parsed.parse(
    commandOf(action, env, Object.keys(params.default ?? {}))
      .parse(args, { from: "user" })
      .opts(),
  );
  const values = Object.fromEntries(param.map((option) => option.split(/=(.*)/s, 2)));
  if (action === "deploy") requireImage({ ...params.default, ...params[stage ?? provider.stage], ...values });
  return [
    ...(stage ? [`--stage=${stage}`] : []),
    ...(region ? [`--region=${region}`] : []),
    ...param.map((one) => `--param=${one}`),
    ...(awsProfile ? [`--aws-profile=${awsProfile}`] : []),
    ...(verbose ? ["--verbose"] : []),
    ...(force ? ["--force"] : []),
  ];
}

function requireImage({ functions, workloadImage }: Readonly<Record<string, string>>): void {
  if (functions === "none" || workloadImage) return;
  throw new Error(
    "workloadImage is not set: precache-plan and precache-cluster are off without it, and no image is published. Nothing was changed. Fix: build infra/precache-workload, push it to your registry, and add --param workloadImage=REGISTRY/REPOSITORY@sha256:DIGEST (docs/how-to/build-the-workload-image.md).",
  );
}

function commandOf(action: StackAction, env: NodeJS.ProcessEnv, names: readonly string[]): Command {
  // With a default stage or region, a second stack could be created beside the intended one.
  const isNamed = action !== "package";
  const command = scriptCommand(action)
    .description(`${summaries[action]} Parameters are in docs/deploy-aws.md.`)
    .addOption(
      new Option("--stage <name>", "the stage, a part of every name")
        .argParser(namePart)
        .makeOptionMandatory(isNamed),
    )
    .addOption(
      new Option("--region <region>", "the AWS region; else the variable AWS_REGION")
        .default(env.AWS_REGION)
        .makeOptionMandatory(isNamed),
    )
    .option("--param <name=value>", "a parameter of serverless.yml; repeatable", parameter(names))
    .option("--aws-profile <name>", "the profile with the credentials")
    .option("--verbose", "show what CloudFormation does");
  if (action === "deploy")
    command.option("--force", "deploy, though nothing has changed since the last time");
  return command;
}

function namePart(text: string): string {
  if (/^[a-z0-9][a-z0-9-]*$/.test(text)) return text;
  throw new InvalidArgumentError("It must be lower case letters, digits and dashes, such as prod.");
}

/** osls would ignore a parameter that is not in `names`. */
const parameter =
  (names: readonly string[]) =>
  (text: string, previous: readonly string[] = []): string[] => {
    const [, name = "", value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (value === undefined)
      throw new InvalidArgumentError("It must be NAME=VALUE. A parameter that is left out has its default.");
    if (!names.includes(name))
      throw new InvalidArgumentError(`serverless.yml has no parameter ${name}, only ${names.join(", ")}.`);
    return [...previous, text];
  };
