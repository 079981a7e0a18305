import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { KubeConfig } from "@kubernetes/client-node";
import { fieldsOf } from "../../../domain/json/values.ts";

/** Returns the end of a JSON Web Token (RFC 7519), as ServiceAccounts have them; undefined for any other token. */
function endOfToken(token: string): Date | undefined {
  const [, payload = ""] = token.trim().split(".");
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    const end = fieldsOf(claims).exp;
    return typeof end === "number" ? new Date(end * 1000) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns when the login of the kubeconfig's current user ends, by its token or its client certificate. Undefined where
 * only the server knows, and where a program or a file renews it.
 */
export async function credentialsEnd(config: KubeConfig): Promise<Date | undefined> {
  const user = config.getCurrentUser();
  if (user?.token) return endOfToken(user.token);
  try {
    const certificate = user?.certData
      ? Buffer.from(user.certData, "base64")
      : user?.certFile && (await readFile(user.certFile));
    return certificate ? new X509Certificate(certificate).validToDate : undefined;
  } catch {
    return undefined; // the first request reports what is wrong with it
  }
}
