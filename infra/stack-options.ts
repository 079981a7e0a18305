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
type Configuration = z.infer<typeof configuration>;
const parsed = z.object({
  stage: z.string().optional(),
  hub: z.string().optional(),
  region: z.string().optional(),
  param: z.array(z.string()).default([]),
  awsProfile: z.string().optional(),
  verbose: z.boolean().optional(),
  force: z.boolean().optional(),
});

/**
 * Returns the options of osls for those of `npm run package`, `deploy` and `remove`, including a hub's own values in
 * `serverless.yml`, which osls itself reads only for a stage. Throws commander's error for wrong options, and for
 * `--help`, which commander prints.
 */
export function stackOptions(
  action: StackAction,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  serverlessYml: string = readFileSync(join(paths.root, "serverless.yml"), "utf8"),
): readonly string[] {
  // The file contains CloudFormation's tags.
  const { provider, params } = configuration.parse(parse(serverlessYml, { logLevel: "error" }));
  const { stage, hub, region, param, awsProfile, verbose, force } = parsed.parse(
    commandOf(action, env, parameterNames(params)).parse(args, { from: "user" }).opts(),
  );
  const parameters = [...(hub ? [`hub=${hub}`] : []), ...param];
  const values = parameterValues(parameters);
  const ofStage = stage ?? provider.stage;
  const own = valuesOf(`${ofStage}-${values.hub}`, params);
  const ofHub = Object.entries(own)
    .filter(([name]) => !(name in values))
    .map(([name, value]) => `${name}=${value}`);
  if (action === "deploy") requireImage({ ...params.default, ...params[ofStage], ...own, ...values });
  return [
    ...(stage ? [`--stage=${stage}`] : []),
    ...(region ? [`--region=${region}`] : []),
    ...[...ofHub, ...parameters].map((one) => `--param=${one}`),
    ...(awsProfile ? [`--aws-profile=${awsProfile}`] : []),
    ...(verbose ? ["--verbose"] : []),
    ...(force ? ["--force"] : []),
  ];
}

const parameterValues = (options: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(options.map((option) => option.split(/=(.*)/s, 2)));

/** Throws when functions on Lambda would have no image for pre-caching. */
function requireImage({ functions, workloadImage }: Readonly<Record<string, string>>): void {
  if (functions === "none" || workloadImage) return;
  throw new Error(
    "workloadImage is not set: precache-plan and precache-cluster are off without it, and no image is published. Nothing was changed. Fix: build infra/precache-workload, push it to your registry, and add --param workloadImage=REGISTRY/REPOSITORY@sha256:DIGEST (docs/how-to/build-the-workload-image.md).",
  );
}

/** Returns the values of one hub. Throws for values that osls would ignore, or reject with an error about its options. */
function valuesOf(instance: string, params: Configuration["params"]): Readonly<Record<string, string>> {
  const values = params[instance] ?? {};
  const known = parameterNames(params);
  const problem = (text: string) => new Error(`serverless.yml, params.${instance}: ${text}`);
  for (const [name, value] of Object.entries(values)) {
    if (!known.includes(name))
      throw problem(`no such parameter: ${name}. Fix: use one of ${known.join(", ")}.`);
    if (value === "") throw problem(`${name} is empty. Fix: give it a value, or leave it out.`);
  }
  return values;
}

function commandOf(action: StackAction, env: NodeJS.ProcessEnv, names: readonly string[]): Command {
  // A default stage or region could create a second stack beside the intended one.
  const isNamed = action !== "package";
  const command = scriptCommand(action)
    .description(`${summaries[action]} Parameters are in docs/deploy-aws.md.`)
    .addOption(
      new Option("--stage <name>", "the stage, a part of every name")
        .argParser(namePart)
        .makeOptionMandatory(isNamed),
    )
    .option("--hub <name>", "the hub's short name, where the stage has several", namePart)
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

/** Collects `NAME=VALUE` for the parameters of `serverless.yml`; osls silently ignores other names. */
const parameter =
  (names: readonly string[]) =>
  (text: string, previous: readonly string[] = []): string[] => {
    const [, name = "", value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (value === undefined)
      throw new InvalidArgumentError("It must be NAME=VALUE. A parameter that is left out has its default.");
    if (name === "hub") namePart(value);
    if (!names.includes(name))
      throw new InvalidArgumentError(`serverless.yml has no parameter ${name}, only ${names.join(", ")}.`);
    return [...previous, text];
  };

const parameterNames = ({ default: defaults }: Configuration["params"]) => Object.keys(defaults ?? {});
