import { fileProblem, readRegularFile } from "#shared/adapters/file-text.ts";
import { RegistryError } from "#shared/ports/registry.ts";
import { UsageError } from "../program/exit-codes.ts";

/** Throws `UsageError` if the text is not a pull secret. The message begins with `where`. */
export async function checkPullSecret(pullSecret: string, where = ""): Promise<void> {
  const { credentialFor } = await import("#shared/adapters/oci/pull-secret.ts");
  try {
    credentialFor(pullSecret, "quay.io/any");
  } catch (cause) {
    throw cause instanceof RegistryError ? new UsageError(`${where}${cause.message}`, { cause }) : cause;
  }
}

/** Returns the content of the file of `--pull-secret`. Throws `UsageError` if it is unreadable or no pull secret. */
export async function readPullSecret(path: string): Promise<string> {
  let pullSecret: string;
  try {
    pullSecret = await readRegularFile(path);
  } catch (cause) {
    throw new UsageError(`--pull-secret ${path} cannot be read: ${fileProblem(cause)}`, { cause });
  }
  await checkPullSecret(pullSecret, `--pull-secret ${path} cannot be used: `);
  return pullSecret;
}
