import { isRecord } from "../json/values.ts";
import type { KubernetesObject } from "./object.ts";

/** Returns the decoded text of a field of a Secret, which holds fields in base64; undefined without one. */
export function secretText(secret: KubernetesObject | undefined, field: string): string | undefined {
  const value = isRecord(secret?.data) ? secret.data[field] : undefined;
  return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : undefined;
}
