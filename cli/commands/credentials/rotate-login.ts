import { controllers } from "#functions/controllers.ts";
import type { HubInspection } from "#shared/adapters/hub/kubernetes/inspection.ts";
import type { StoredLogin } from "#shared/adapters/hub/kubernetes/open-kubernetes-hub.ts";
import { EnvironmentError } from "#shared/adapters/settings/environment.ts";
import type { KubeconfigStore } from "#shared/ports/kubeconfig-store.ts";

/** The functions that log in to the hub with a kubeconfig of their own, by name; `resync` has no queue. */
export const functionsWithLogin: readonly Readonly<{ name: string }>[] = [
  ...controllers.map(({ name }) => ({ name })),
  { name: "resync" },
];

/** The account of a function on the hub, as `infra/hub-rbac` creates it. */
export const accountOf = (functionName: string) => ({
  namespace: "hubrelay",
  name: `hubrelay-${functionName}`,
});

const dayMs = 24 * 60 * 60 * 1000;

/** Returns the whole days from now until then; negative after the end. */
export const daysUntil = (end: Date, now: Date): number =>
  Math.floor((end.getTime() - now.getTime()) / dayMs);

/** What became of a function's login. `until` is the end of the one that is stored afterwards, where it is known. */
export type RotatedLogin = Readonly<{
  function: string;
  state: "kept" | "rotated" | "created" | "would be rotated" | "would be created" | "failed";
  until?: Date;
  note?: string;
}>;

export type RotationRules = Readonly<{
  /** How long new tokens are valid. */
  days: number;
  /** Logins that are valid for longer are kept. */
  before: number;
  /** Replaces every login, however long it is valid. */
  all: boolean;
  /** Takes the server and its certificate authority from the caller's kubeconfig also where one is stored. */
  replaceServer: boolean;
  dryRun: boolean;
}>;

/** What a rotation uses. Only `store.write` and `hub.createToken` change something. */
export type RotationPorts = Readonly<{
  store: KubeconfigStore;
  hub: Pick<HubInspection, "createToken" | "isAllowed">;
  /** Reads a kubeconfig; `name` is what errors call it. */
  login(text: string, name: string): StoredLogin;
  /** Returns a kubeconfig of the hub as the caller reaches it; undefined where no function outside of the hub could. */
  ownKubeconfig?(user: string, token: string): Promise<string>;
  now(): Date;
}>;

const daySeconds = 24 * 60 * 60;
const unknownEnd = "It is not known when its login ends; --all replaces it.";
const noServer =
  "No kubeconfig is stored yet, and this pod's address of the hub is only for pods. Fix: create the first one from your machine.";

/** Reads the stored kubeconfig; undefined where there is none, or where nothing of it will be used. */
function readStored(
  text: string | undefined,
  name: string,
  { all, replaceServer }: RotationRules,
  { login }: RotationPorts,
): StoredLogin | undefined {
  if (text === undefined || (all && replaceServer)) return undefined;
  try {
    return login(text, name);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    throw new EnvironmentError(`${error.message} --all --replace-server replaces it`);
  }
}

/**
 * Replaces the login of a function where it ends soon, all or nothing: a new token is stored only after the hub has
 * accepted it, with server and authority as the function will use them, as that function's account. Running it again does
 * nothing. Throws what stands in the way, and then nothing was stored.
 */
export async function rotateLogin(
  functionName: string,
  rules: RotationRules,
  ports: RotationPorts,
): Promise<RotatedLogin> {
  const { days, before, all, replaceServer, dryRun } = rules;
  const { store, hub, login, ownKubeconfig, now } = ports;
  const account = accountOf(functionName);
  const name = `of ${functionName} in the store`;
  const text = await store.read(functionName);
  const isNew = text === undefined;
  const stored = readStored(text, name, rules, ports);
  const end = await stored?.end();
  const until = end ? { until: end } : {};

  if (stored && !all && !end) return { function: functionName, state: "kept", note: unknownEnd };
  if (end && !all && daysUntil(end, now()) >= before)
    return { function: functionName, state: "kept", ...until };
  const based = stored && !replaceServer ? stored.withToken : ownKubeconfig;
  if (!based) return { function: functionName, state: "failed", note: noServer };

  if (dryRun) {
    const access = { verb: "create", group: "", resource: "serviceaccounts/token", ...account };
    if (await hub.isAllowed(access))
      return { function: functionName, state: isNew ? "would be created" : "would be rotated", ...until };
    const note = `You may not create tokens of ServiceAccount ${account.namespace}/${account.name}.`;
    return { function: functionName, state: "failed", ...until, note };
  }

  const created = await hub.createToken(account, days * daySeconds);
  const kubeconfig = await based(account.name, created.token);
  const user = await login(kubeconfig, `that was made for ${functionName}`).user();
  const expected = `system:serviceaccount:${account.namespace}:${account.name}`;
  if (user !== expected)
    return {
      function: functionName,
      state: "failed",
      ...until,
      note: `The hub sees the new login as ${user ?? "nobody"} and not as ${expected}; nothing was stored.`,
    };
  await store.write(functionName, kubeconfig);
  const isShort = created.end && daysUntil(created.end, now()) < Math.min(days - 1, before);
  return {
    function: functionName,
    state: isNew ? "created" : "rotated",
    ...(created.end ? { until: created.end } : {}),
    ...(isShort ? { note: "The hub makes tokens shorter than --before: rotate more often." } : {}),
  };
}
