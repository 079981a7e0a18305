import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { type Environment, EnvironmentError } from "#shared/adapters/settings/environment.ts";
import { kubeconfigStoreLocation } from "#shared/adapters/settings/kubeconfig-store-location.ts";
import type { KubeconfigStore } from "#shared/ports/kubeconfig-store.ts";
import { functionsWithLogin } from "../../credentials/stored-logins.ts";
import { type Check, ok, problem } from "./check.ts";
import { loginCheck } from "./login-check.ts";

const remedy = "Create or replace it: hubrelay credentials rotate (docs/how-to/rotate-credentials.md).";

async function checkOf(
  name: string,
  store: KubeconfigStore,
  endOf: (text: string) => Promise<Date | undefined>,
  now: Date,
): Promise<Check> {
  const title = `login of ${name}`;
  try {
    const text = await store.read(name);
    if (text === undefined) return problem(title, "It has no kubeconfig in the store.", remedy);
    const end = await endOf(text);
    return end ? loginCheck(end, now, name) : ok(title, "It is not known when its login ends.");
  } catch (error) {
    if (error instanceof EnvironmentError) return problem(title, error.message, remedy);
    throw error;
  }
}

/**
 * Checks the login of each function in the store that HUBRELAY_KUBECONFIGS names, without connecting to the hub; none
 * without that variable. A store that cannot be read is a problem of each function.
 */
export async function storedLoginChecks(environment: Environment, now: Date): Promise<readonly Check[]> {
  const { HUBRELAY_KUBECONFIGS: text } = environment;
  if (!text) return [];
  let store: KubeconfigStore;
  try {
    const { openKubeconfigStore } = await import("#shared/adapters/aws/kubeconfig-stores.ts");
    store = openKubeconfigStore(kubeconfigStoreLocation(text), awsConnection(environment));
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    return [problem("logins", error.message, "Correct HUBRELAY_KUBECONFIGS or AWS_REGION.")];
  }
  const { storedLogin } = await import("#shared/adapters/hub/kubernetes/open-kubernetes-hub.ts");
  try {
    return await Promise.all(
      functionsWithLogin.map(({ name }) =>
        checkOf(name, store, (kubeconfig) => storedLogin(kubeconfig, `of ${name}`, environment).end(), now),
      ),
    );
  } finally {
    store.close();
  }
}
