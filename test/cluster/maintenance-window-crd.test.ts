import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { referenceTo } from "#shared/domain/kubernetes/object.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import { maintenanceWindowIssues } from "#shared/domain/windows/validate-windows.ts";
import { startHub, type TestHub } from "./support/clusters/cluster.ts";

let server: TestHub;
let hub: KubernetesHub;

beforeAll(async () => {
  server = await startHub();
  hub = kubernetesHub(server.admin.kubeConfig);
}, 120_000);
afterAll(async () => {
  hub.close();
  await server.stop();
});

type Spec = Readonly<Record<string, unknown>>;
const now = new Date("2026-03-01T12:00:00Z");
const aFreeze = (from: string, to: string): Spec => ({ exclusions: [{ from, to }] });
const expression = (operator: string, values?: readonly string[]): Spec => ({
  clusterSelector: { matchExpressions: [{ key: "site", operator, ...(values ? { values } : {}) }] },
});

/** The API server's response to a window with these fields; empty when it accepts it. The window is then removed. */
async function responseTo(spec: Spec): Promise<string> {
  const object = { ...windowObject(spec), metadata: { namespace: "default", name: "night" } };
  try {
    await hub.delete(referenceTo(await hub.create(object)));
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test.for<{ spec: Spec; says: string }>([
  { spec: { duration: "0h" }, says: '"0h": must be greater than 0s' },
  { spec: { duration: "0h0m0.0s" }, says: "must be greater than 0s" },
  { spec: { duration: "8784h1s" }, says: '"8784h1s": must be at most 8784h' },
  { spec: { duration: "99999999999h" }, says: "must be at most 8784h" },
  { spec: { duration: "1d" }, says: "spec.duration" },
  { spec: { schedule: "0 2 * *" }, says: "a schedule has five fields" },
  { spec: { schedule: "0 0 2 * * *" }, says: "a schedule has five fields" },
  { spec: { schedule: "  " }, says: "a schedule has five fields" },
  { spec: { schedule: "CRON_TZ=Europe/Berlin 0 2 * * *" }, says: "a schedule has five fields" },
  { spec: { schedule: "@every 1h" }, says: "a schedule has five fields" },
  { spec: { timeZone: "+02:00" }, says: "must be a name in the IANA" },
  { spec: { timeZone: "BST" }, says: "an abbreviation means different zones" },
  { spec: { timeZone: "SystemV/AST4" }, says: "an abbreviation means different zones" },
  { spec: aFreeze("2026-02-02", "2026-02-01"), says: "to must not be before from" },
  { spec: aFreeze("2026-02-30", "2026-03-01"), says: "spec.exclusions[0].from" },
  { spec: aFreeze("2026-02-01T00:00:00Z", "2026-03-01"), says: "spec.exclusions[0].from" },
  { spec: aFreeze("2026-02-01", "soon"), says: "spec.exclusions[0].to" },
  { spec: expression("In"), says: "In and NotIn need values" },
  { spec: expression("Exists", ["west"]), says: "Exists and DoesNotExist take none" },
  { spec: { atEnd: "Kill" }, says: "spec.atEnd" },
])(
  "When a window has $spec, the API server should refuse it as validate does, and say '$says'",
  async ({ spec, says }) => {
    const response = await responseTo(spec);
    expect(response).toContain(says);
    expect(maintenanceWindowIssues(windowObject(spec), now)).toEqual([
      expect.objectContaining({ severity: "error" }),
    ]);
  },
);

test.for<{ spec: Spec }>([
  { spec: {} },
  { spec: { schedule: "0 2 29 2 *", duration: "8784h" } },
  { spec: { duration: "1ms" } },
  { spec: { duration: "1.5h0m" } },
  { spec: { duration: "84600s" } },
  { spec: { schedule: " 0  2 * * SAT,SUN " } },
  { spec: { schedule: "@weekly" } },
  { spec: { timeZone: "America/Argentina/Buenos_Aires" } },
  { spec: { timeZone: "Etc/GMT+5" } },
  { spec: { timeZone: "CET" } },
  { spec: aFreeze("2028-02-29", "2028-02-29") },
  { spec: expression("In", ["west"]) },
  { spec: expression("DoesNotExist") },
  { spec: expression("Exists", []) },
  { spec: { clusterSelector: {} } },
])("When a window has $spec, the API server and validate should accept it", async ({ spec }) => {
  expect(await responseTo(spec)).toBe("");
  expect(maintenanceWindowIssues(windowObject(spec), now)).toEqual([]);
});
