import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { EnvironmentError } from "../settings/environment.ts";
import { clientOptions } from "./aws-client.ts";
import { type AwsConnection, awsErrorText } from "./aws-connection.ts";

/**
 * Reads a parameter of AWS Systems Manager's Parameter Store, by name or ARN, decrypted. Throws `EnvironmentError`,
 * which names the parameter and never quotes it.
 */
export async function readParameter(connection: AwsConnection, parameter: string): Promise<string> {
  const client = new SSMClient(clientOptions(connection));
  try {
    const command = new GetParameterCommand({ Name: parameter, WithDecryption: true });
    return (await client.send(command)).Parameter?.Value ?? "";
  } catch (error) {
    throw new EnvironmentError(`The parameter ${parameter} cannot be read: ${awsErrorText(error)}`);
  } finally {
    client.destroy();
  }
}
