import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import {
  GetParameterCommand,
  PutParameterCommand,
  paginateDescribeParameters,
  SSMClient,
} from "@aws-sdk/client-ssm";
import type { KubeconfigStore } from "../../ports/kubeconfig-store.ts";
import { EnvironmentError } from "../settings/environment.ts";
import type { KubeconfigStoreLocation } from "../settings/hub-location.ts";
import { clientOptions } from "./aws-client.ts";
import { type AwsConnection, awsErrorName, awsErrorText } from "./aws-connection.ts";

const absent: ReadonlySet<string> = new Set(["ResourceNotFoundException", "ParameterNotFound"]);

/** Failures become errors that name what could not be done, and quote nothing of a kubeconfig. */
async function explained<Result>(what: string, request: () => Promise<Result>): Promise<Result> {
  try {
    return await request();
  } catch (error) {
    throw new EnvironmentError(`${what}: ${awsErrorText(error)}`);
  }
}

/** Returns undefined for what does not exist. */
function ifPresent<Result>(what: string, request: () => Promise<Result>): Promise<Result | undefined> {
  return explained(what, () =>
    request().catch((error) => {
      if (absent.has(awsErrorName(error))) return undefined;
      throw error;
    }),
  );
}

type Options = Readonly<{
  connection: AwsConnection;
  prefix: string;
  /** The KMS key of kubeconfigs that are created; those that exist keep theirs. */
  kmsKey: string | undefined;
}>;

function secrets({ connection, prefix, kmsKey }: Options): KubeconfigStore {
  const client = new SecretsManagerClient(clientOptions(connection));
  const idOf = (name: string) => `${prefix}/${name}`;
  return {
    async read(name) {
      const SecretId = idOf(name);
      const found = await ifPresent(`The secret ${SecretId} cannot be read`, () =>
        client.send(new GetSecretValueCommand({ SecretId })),
      );
      return found?.SecretString;
    },
    async write(name, SecretString) {
      const Name = idOf(name);
      const what = `The secret ${Name} cannot be written`;
      const put = new PutSecretValueCommand({ SecretId: Name, SecretString });
      if (await ifPresent(what, () => client.send(put))) return;
      const key = kmsKey ? { KmsKeyId: kmsKey } : {};
      await explained(what, () => client.send(new CreateSecretCommand({ Name, SecretString, ...key })));
    },
    close: () => client.destroy(),
  };
}

function parameters({ connection, prefix, kmsKey }: Options): KubeconfigStore {
  const client = new SSMClient(clientOptions(connection));
  const idOf = (name: string) => `${prefix}/${name}`;

  /** Without a key a new version would be encrypted with AWS's own, whatever the last one had. */
  async function keyOf(Name: string): Promise<string | undefined> {
    const ParameterFilters = [{ Key: "Name", Option: "Equals", Values: [Name] }];
    for await (const { Parameters: [found] = [] } of paginateDescribeParameters(
      { client },
      { ParameterFilters },
    ))
      if (found) return found.KeyId ?? kmsKey;
    return kmsKey;
  }

  return {
    async read(name) {
      const Name = idOf(name);
      const found = await ifPresent(`The parameter ${Name} cannot be read`, () =>
        client.send(new GetParameterCommand({ Name, WithDecryption: true })),
      );
      return found?.Parameter?.Value;
    },
    async write(name, Value) {
      const Name = idOf(name);
      await explained(`The parameter ${Name} cannot be written`, async () => {
        const key = await keyOf(Name);
        // More than 4 KB, as with a long certificate authority, need an advanced parameter.
        const as = { Type: "SecureString", Tier: "Intelligent-Tiering", Overwrite: true } as const;
        return client.send(new PutParameterCommand({ Name, Value, ...as, ...(key ? { KeyId: key } : {}) }));
      });
    },
    close: () => client.destroy(),
  };
}

/** Opens the store of the functions' kubeconfigs. It fails with an `EnvironmentError`, which quotes nothing of them. */
export function openKubeconfigStore(
  { from, prefix }: KubeconfigStoreLocation,
  connection: AwsConnection,
  kmsKey?: string,
): KubeconfigStore {
  const open = from === "secretsmanager" ? secrets : parameters;
  return open({ connection, prefix, kmsKey });
}
