import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import {
  hubLocation,
  type KubeconfigStoreLocation,
  kubeconfigStoreLocation,
} from "#shared/adapters/settings/hub-location.ts";
import { HubError } from "#shared/ports/hub.ts";
import { painted, print } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { type Cell, tableWithHeadings } from "../../io/table.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { liveHubEnvironment } from "../../program/hub-location.ts";
import { chosenFunctions } from "../../program/option-values.ts";
import {
  daysUntil,
  functionsWithLogin,
  type RotatedLogin,
  type RotationPorts,
  type RotationRules,
  rotateLogin,
} from "./rotate-login.ts";

export type RotateOptions = RotationRules &
  Readonly<{
    store: string;
    function?: readonly string[];
    kmsKey?: string;
    output: "table" | StructuredFormat;
  }>;

/** Rotates one login; an error of the hub or the store is about this function only. */
async function rotated(name: string, rules: RotationRules, ports: RotationPorts): Promise<RotatedLogin> {
  try {
    return await rotateLogin(name, rules, ports);
  } catch (error) {
    if (error instanceof HubError || error instanceof EnvironmentError)
      return {
        function: name,
        state: "failed",
        note: `${error.message.replace(/\.$/, "")}; nothing was stored.`,
      };
    throw error;
  }
}

/** Adds that `--kms-key` has done nothing for a kubeconfig that exists, with the command that changes its key. */
function withKeyNote(
  login: RotatedLogin,
  { from, prefix }: KubeconfigStoreLocation,
  key: string,
): RotatedLogin {
  const isCreated = login.state === "created" || login.state === "would be created";
  if (isCreated || login.state === "failed") return login;
  const id = `${prefix}/${login.function}`;
  const commands = {
    secretsmanager: `aws secretsmanager update-secret --secret-id ${id} --kms-key-id ${key}`,
    parameterstore: `aws ssm get-parameter --name ${id} --with-decryption --query Parameter.Value --output text | aws ssm put-parameter --name ${id} --type SecureString --tier Intelligent-Tiering --overwrite --key-id ${key} --value file:///dev/stdin`,
  };
  const note = `--kms-key is for kubeconfigs that are created: this one keeps its key. To change it: ${commands[from]}`;
  return { ...login, note: login.note ? `${login.note} ${note}` : note };
}

async function rotateAll(options: RotateOptions): Promise<readonly RotatedLogin[]> {
  const chosen = chosenFunctions(functionsWithLogin, options.function);
  const environment = liveHubEnvironment();
  const place = hubLocation(environment);
  if (place.from === "directory") throw new UsageError("The hub is a directory, which has no accounts.");
  const location = kubeconfigStoreLocation(options.store);
  const { openKubeconfigStore } = await import("#shared/adapters/aws/kubeconfig-stores.ts");
  const kubernetes = await import("#shared/adapters/hub/kubernetes/open-kubernetes-hub.ts");
  const hub = await kubernetes.inspectKubernetesHub(place, environment);
  const store = openKubeconfigStore(location, awsConnection(environment), options.kmsKey);
  const ports: RotationPorts = {
    store,
    hub,
    login: (text, name) => kubernetes.storedLogin(text, name, environment),
    ...(place.from === "in-cluster"
      ? {}
      : {
          ownKubeconfig: (user, token) => kubernetes.kubeconfigFor(place, environment, { user, token }),
        }),
    now: () => new Date(),
  };
  try {
    const done: RotatedLogin[] = [];
    for (const { name } of chosen) done.push(await rotated(name, options, ports));
    const { kmsKey } = options;
    return kmsKey ? done.map((login) => withKeyNote(login, location, kmsKey)) : done;
  } finally {
    hub.close();
    store.close();
  }
}

const colours = {
  kept: "green",
  rotated: "green",
  created: "green",
  "would be rotated": "yellow",
  "would be created": "yellow",
  failed: "red",
} as const;

/**
 * Runs `hubrelay credentials rotate`: gives functions outside of the hub new tokens where the old ones end soon. Returns the
 * exit code: 1 when one of them could not be rotated. No token is ever printed.
 */
export async function rotate(options: RotateOptions): Promise<number> {
  const logins = await inEnvironment(() => rotateAll(options));
  const now = new Date();
  const shown = logins.map(({ until, ...login }) => ({
    ...login,
    ...(until ? { until: until.toISOString(), daysLeft: daysUntil(until, now) } : {}),
  }));
  print(
    rendered({ logins: shown }, options.output, (clean) => {
      const rows = clean.logins.map(
        ({ function: name, state, until = "-", daysLeft = "-", note = "" }): readonly Cell[] => [
          name,
          painted(colours[state], state),
          String(daysLeft),
          until.slice(0, 10),
          note,
        ],
      );
      return tableWithHeadings(["FUNCTION", "LOGIN", "DAYS LEFT", "UNTIL", "NOTE"], rows);
    }),
  );
  return logins.some(({ state }) => state === "failed") ? exitCodes.issues : exitCodes.fine;
}
