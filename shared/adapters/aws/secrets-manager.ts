import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { EnvironmentError } from "../settings/environment.ts";
import { clientOptions } from "./aws-client.ts";
import { type AwsConnection, awsErrorText } from "./aws-connection.ts";

/** Returns a secret's text; `secret` is its name or ARN. Throws an `EnvironmentError`, which never quotes the text. */
export async function readSecret(connection: AwsConnection, secret: string): Promise<string> {
  const client = new SecretsManagerClient(clientOptions(connection));
  try {
    const { SecretString, SecretBinary } = await client.send(new GetSecretValueCommand({ SecretId: secret }));
    return SecretString ?? Buffer.from(SecretBinary ?? []).toString("utf8");
  } catch (error) {
    throw new EnvironmentError(`The secret ${secret} cannot be read: ${awsErrorText(error)}`);
  } finally {
    client.destroy();
  }
}
