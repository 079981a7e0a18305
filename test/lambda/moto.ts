import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SNSClient } from "@aws-sdk/client-sns";
import { SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import { paths } from "../../infra/paths.ts";
import { installedPythonTool } from "../../infra/tool-folder.ts";
import { startServer } from "../cluster/support/programs/server-process.ts";
import { freePort } from "../support/servers/free-port.ts";

/** AWS as the program moto plays it, without running functions. It accepts any credentials. */
export type Moto = Readonly<{
  environment: Readonly<Record<string, string>>;
  sns: SNSClient;
  sqs: SQSClient;
  /** Creates a stack and returns its outputs by name. */
  deploy(
    name: string,
    template: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
}>;

const region = "us-east-1";
const credentials = { accessKeyId: "any", secretAccessKey: "any" };
const isUp = (endpoint: string) =>
  fetch(`${endpoint}/moto-api/`).then(
    ({ ok }) => ok,
    () => false, // not listening yet
  );

/** Starts moto, which is installed from PyPI on first use. */
export async function startMoto(): Promise<Moto> {
  await using stack = new AsyncDisposableStack();
  const bin = await installedPythonTool("moto", console.warn);
  const { path: folder } = stack.use(await mkdtempDisposable(join(tmpdir(), "hubrelay-moto-")));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const args = [join(paths.tools, "moto/server.py"), "--host", "127.0.0.1", "--port", String(port)];
  const server = await startServer(join(bin, "python"), args, {
    log: join(folder, "moto.log"),
    isReady: () => isUp(endpoint),
  });
  stack.defer(() => server.end("SIGKILL"));
  const options = { region, endpoint, credentials };
  const sns = stack.adopt(new SNSClient(options), (client) => client.destroy());
  const sqs = stack.adopt(new SQSClient(options), (client) => client.destroy());
  const environment = {
    AWS_REGION: region,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const running = stack.move();
  return {
    environment,
    sns,
    sqs,
    deploy: (name, template, parameters) => deployed(endpoint, name, template, parameters),
    stop: () => running.disposeAsync(),
  };
}

/** Sends a request to CloudFormation; moto takes the service from the unchecked signature. */
async function cloudFormation(endpoint: string, query: Readonly<Record<string, string>>): Promise<string> {
  const scope = `any/20260101/${region}/cloudformation/aws4_request`;
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { authorization: `AWS4-HMAC-SHA256 Credential=${scope}` },
    body: new URLSearchParams({ Version: "2010-05-15", ...query }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${query.Action} failed: ${text}`);
  return text;
}

const output = z.object({ name: z.string(), value: z.string() });

async function deployed(
  endpoint: string,
  StackName: string,
  TemplateBody: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const given = Object.entries(parameters).flatMap(([name, value], index) => [
    [`Parameters.member.${index + 1}.ParameterKey`, name],
    [`Parameters.member.${index + 1}.ParameterValue`, value],
  ]);
  const creation = { Action: "CreateStack", StackName, TemplateBody, ...Object.fromEntries(given) };
  await cloudFormation(endpoint, creation);
  const text = await cloudFormation(endpoint, { Action: "DescribeStacks", StackName });
  const status = /<StackStatus>(\w+)</.exec(text)?.[1];
  if (status !== "CREATE_COMPLETE") throw new Error(`the stack ${StackName} is ${status}`);
  const found = text.matchAll(
    /<OutputKey>(?<name>[^<]+)<\/OutputKey>\s*<OutputValue>(?<value>[^<]*)<\/OutputValue>/g,
  );
  return Object.fromEntries(
    [...found].map(({ groups }) => {
      const { name, value } = output.parse(groups);
      return [name, value];
    }),
  );
}
