import { isRecord } from "#shared/domain/kubernetes/json/values.ts";

/** The termination message of a workload run. */
export type Termination = Readonly<{ reason?: string; image?: string; detail?: string }>;

/** Reads a termination message. One that is not a JSON object becomes the detail. Never throws. */
export function readTermination(message: string): Termination {
  const detail = message.trim();
  try {
    const parsed: unknown = JSON.parse(message);
    if (isRecord(parsed)) {
      const text = (field: string) => (typeof parsed[field] === "string" ? { [field]: parsed[field] } : {});
      return { ...text("reason"), ...text("image"), ...text("detail") };
    }
  } catch {
    // Killed while it wrote, or a message from the shell.
  }
  return detail === "" ? {} : { detail };
}
