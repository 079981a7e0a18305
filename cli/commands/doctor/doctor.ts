import type { Environment } from "#shared/adapters/settings/environment.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { deployedLease, parseLeaseName } from "#shared/runtime/forwarder/lease-candidate.ts";
import { painted, print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { type Cell, tableWithHeadings } from "../../io/table.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { liveHubEnvironment } from "../../program/hub-location.ts";
import { type Check, problem, tableChecks } from "./checks/check.ts";
import { environmentTables } from "./checks/environment-rows.ts";
import { hubChecks } from "./checks/hub-rows.ts";

const colours = { ok: "green", note: "yellow", problem: "red" } as const;

function summary(checks: readonly Check[]): SafeText {
  const problems = checks.filter(({ state }) => state === "problem").length;
  return problems === 0 ? safe`No problem was found.\n` : safe`${counted(problems, "problem")} found.\n`;
}

function doctorTable(checks: readonly Check[]): SafeText {
  const rows = checks.flatMap(({ name, state, found, remedy }): (readonly Cell[])[] => {
    return [[name, painted(colours[state], state), found], ...(remedy ? [["", "", `→ ${remedy}`]] : [])];
  });
  return safe`${tableWithHeadings(["CHECK", "STATE", "FOUND"], rows)}\n${summary(checks)}`;
}

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
    const remedy = "Log in to the hub (oc login), or copy a kubeconfig of the hub to this machine.";
    return [{ name: "hub", ...problem(error.message, remedy) }];
  }
  const { HUBRELAY_LEASE: named } = process.env;
  const lease = named ? parseLeaseName(named) : deployedLease;
  if (!lease)
    return [{ name: "lease", ...problem("HUBRELAY_LEASE is not namespace/name.", "Correct that variable.") }];
  return hubChecks(environment, { accounts: account, asAccounts, lease, now: () => new Date() });
}

/** Runs `hubrelay doctor`: checks whether hubrelay can work with its hub and queues. Returns the exit code. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const tables = environmentTables(process.env);
  const checks = (await Promise.all([checksOfHub(options), ...tables.map(tableChecks)])).flat();
  const { output } = options;
  print(rendered({ checks }, output, (clean) => doctorTable(clean.checks)));
  return checks.some(({ state }) => state === "problem") ? exitCodes.issues : exitCodes.fine;
}
