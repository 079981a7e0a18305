import type { Environment } from "#shared/adapters/environment.ts";
import type { Check } from "../doctor/check.ts";
import { problem } from "../doctor/check.ts";
import { hubChecks } from "../doctor/hub-checks.ts";
import { queueChecks } from "../doctor/queue-checks.ts";
import { topicCheck } from "../doctor/topic-check.ts";
import { doctorTable } from "../doctor-table.ts";
import { exitCodes } from "../exit-codes.ts";
import { deployedLease, parseLeaseName } from "../lease-name.ts";
import { liveHubEnvironment } from "../live-hub.ts";
import { print } from "../safe-text.ts";
import { type StructuredFormat, structured } from "../structured-output.ts";
import { UsageError } from "../usage-error.ts";

export type DoctorOptions = Readonly<{
  account?: readonly string[];
  asAccounts?: boolean;
  output: "table" | StructuredFormat;
}>;

async function checksOfHub({ account, asAccounts = false }: DoctorOptions): Promise<readonly Check[]> {
  let environment: Environment;
  try {
    environment = liveHubEnvironment();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [problem("hub", error.message, "Log in to the hub (oc login), or copy a kubeconfig of it here.")];
  }
  const { HUBRELAY_LEASE: named } = process.env;
  const lease = named ? parseLeaseName(named) : deployedLease;
  if (!lease)
    return [problem("lease", `HUBRELAY_LEASE ${named} is not namespace/name.`, "Correct that variable.")];
  return hubChecks(environment, { accounts: account, asAccounts, lease, now: () => new Date() });
}

/**
 * `hubrelay doctor`: hub, permissions, kinds, clock, queues and topic as they are seen from here, each with how to
 * mend it. Answers the exit code: 1 when there is a problem.
 */
export async function doctor(options: DoctorOptions): Promise<number> {
  const [hub, queues, topic] = await Promise.all([
    checksOfHub(options),
    queueChecks(process.env),
    topicCheck(process.env),
  ]);
  const checks = [...hub, ...queues, topic];
  const { output } = options;
  print(output === "table" ? doctorTable(checks) : structured({ checks }, output));
  return checks.some(({ state }) => state === "problem") ? exitCodes.issues : exitCodes.fine;
}
