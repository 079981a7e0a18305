import type { CloudFormationClientConfig } from "@aws-sdk/client-cloudformation";
import {
  forgottenParameters,
  givenIn,
  givenParameters,
  missingParameter,
  parameterValues,
} from "./deployment-parameters.ts";

type Values = Readonly<Record<string, unknown>>;

/** What the plugin uses of osls. */
type Serverless = Readonly<{
  classes: Readonly<{ Error: new (message: string, code: string) => Error }>;
  configurationInput: Readonly<{ params: Readonly<Record<string, Values>> }>;
  processedInput: Readonly<{ options: Readonly<{ param?: readonly string[] }> }>;
  service: {
    provider: { compiledCloudFormationTemplate: { Resources: Record<string, { Metadata?: Values }> } };
  };
  getProvider(name: "aws"): Readonly<{
    naming: Readonly<{ getStackName(): string }>;
    getStage(): string;
    getAwsSdkV3Config(): Promise<CloudFormationClientConfig>;
  }>;
}>;

/**
 * Keeps the parameters of the command line in the stack, and refuses a deployment that lacks one, or would change those of
 * the last one without being asked to. It is a plugin since osls finds region and credentials in ways of its own.
 */
export class OslsPlugin {
  readonly hooks = {
    "before:package:finalize": () => this.#keepGivenParameters(),
    "before:deploy:deploy": () => this.#refuseWrongParameters(),
  };
  readonly #serverless: Serverless;

  constructor(serverless: Serverless) {
    this.#serverless = serverless;
  }

  #parameters() {
    const { given = "{}", ...passed } = parameterValues(this.#serverless.processedInput.options.param ?? []);
    return { given, passed };
  }

  #keepGivenParameters(): void {
    const { Resources } = this.#serverless.service.provider.compiledCloudFormationTemplate;
    // A resource has them, because CloudFormation does not update a template when only its own metadata has changed.
    Object.assign(Resources.ServerlessDeploymentBucket ?? {}, {
      Metadata: { parameters: this.#parameters().given },
    });
  }

  async #refuseWrongParameters(): Promise<void> {
    const { classes, configurationInput } = this.#serverless;
    const aws = this.#serverless.getProvider("aws");
    const stack = aws.naming.getStackName();
    const template = await deployedTemplate(stack, await aws.getAwsSdkV3Config());
    const { given, passed } = this.#parameters();
    const { [aws.getStage()]: ofStage, default: ofAll } = configurationInput.params;
    const values = { ...ofAll, ...ofStage, ...passed };
    const last = template === undefined ? {} : givenIn(template);
    const forgotten = forgottenParameters(stack, last, { given: givenParameters(given), values });
    if (forgotten) throw new classes.Error(forgotten, "FORGOTTEN_PARAMETERS");
    const missing = missingParameter(values);
    if (missing) throw new classes.Error(missing, "MISSING_PARAMETER");
  }
}

/** Returns the template of a stack as JSON, undefined where there is no such stack. */
async function deployedTemplate(
  StackName: string,
  config: CloudFormationClientConfig,
): Promise<string | undefined> {
  // Only a deployment needs it, not every run of osls.
  const { CloudFormationClient, GetTemplateCommand } = await import("@aws-sdk/client-cloudformation");
  const client = new CloudFormationClient(config);
  try {
    return (await client.send(new GetTemplateCommand({ StackName }))).TemplateBody;
  } catch (error) {
    const isAbsent =
      error instanceof Error && error.name === "ValidationError" && /does not exist/.test(error.message);
    if (isAbsent) return undefined;
    throw error;
  } finally {
    client.destroy();
  }
}
