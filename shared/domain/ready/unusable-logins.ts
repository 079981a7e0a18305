import { type PullSecret, parsePullSecret } from "../credentials/pull-secret.ts";
import { sentence } from "../credentials/redact.ts";
import { fieldIssue, type Issue, type IssueObject } from "../issues/issue.ts";
import { byCodeUnit, someOf } from "../json/values.ts";

function leftToPrograms({ credentials, empty, programs }: PullSecret) {
  const named = [...programs.byRegistry].filter(([registry]) => !credentials.has(registry));
  const inStore = empty.filter((registry) => !programs.byRegistry.has(registry));
  const isStoreNeeded = programs.others !== undefined && (inStore.length > 0 || credentials.size === 0);
  const used = [
    ...named.map(([, program]) => program),
    ...(isStoreNeeded && programs.others !== undefined ? [programs.others] : []),
  ];
  return {
    registries: [...named.map(([registry]) => registry), ...(isStoreNeeded ? inStore : [])].sort(byCodeUnit),
    programs: [...new Set(used)].map((program) => `docker-credential-${program}`).sort(byCodeUnit),
  };
}

/**
 * Returns one warning about logins that a pull secret leaves to credential helpers (`credHelpers`, `credsStore`),
 * which hubrelay does not run; undefined without such logins and for an invalid pull secret. `object` and `path`
 * name the field that holds the secret.
 */
export function unusableLogins(text: string, object: IssueObject, path: string): Issue | undefined {
  const secret = parsePullSecret(text);
  if ("problem" in secret) return undefined;
  const { registries, programs } = leftToPrograms(secret);
  if (programs.length === 0) return undefined;
  const which = registries.length > 0 ? sentence`for ${someOf(registries)}` : "for all registries";
  return fieldIssue(object, path, registries, {
    code: "LoginLeftToProgram",
    severity: "warning",
    message: sentence`Logins ${which} are not in the pull secret but in the credential helpers ${someOf(programs)}, which hubrelay does not run; these registries are contacted without a login`,
    remedy:
      "Write the logins to a file, for example with podman login --authfile FILE REGISTRY, and use that file as pull secret.",
  });
}
