import type { Unread } from "../covered/coverage.ts";
import { sentence } from "../credentials/redact.ts";
import type { Decision } from "./plan.ts";

/** The verdict on what could have been compared if the input said more. */
export const notCompared = "not compared";

/** Returns what was not compared for a decision: what does not respond, and files of other MachineConfigs. */
export function uncomparedOf({ subject, verdict, comparedWithout = [] }: Decision): readonly Unread[] {
  return [
    ...(verdict === "unknown" ? [{ what: subject, why: "unreachable", count: 1 } as const] : []),
    ...(verdict === notCompared ? [{ what: subject, why: "not-checked", count: 1 } as const] : []),
    ...comparedWithout.map(({ machineConfig, path }) => ({
      what: sentence`MachineConfig/${machineConfig} ${path}`,
      why: "not-checked" as const,
      count: 1,
    })),
  ];
}
