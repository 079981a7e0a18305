import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import dashboard from "../../examples/dashboards/hubrelay.json" with { type: "json" };
import { dashboardFiles } from "./dashboard-files.ts";

const configMap = z.object({
  metadata: z.object({ namespace: z.string(), labels: z.record(z.string(), z.string()) }),
  data: z.object({ "hubrelay.json": z.string() }),
});
const board = z.object({
  rows: z.array(
    z.object({
      title: z.string(),
      panels: z.array(
        z.object({
          type: z.enum(["graph", "singlestat"]),
          span: z.number().min(1).max(12),
          targets: z.array(z.object({ expr: z.string() })).min(1),
        }),
      ),
    }),
  ),
});
const read = (name: string) =>
  configMap.parse(parse(dashboardFiles()[`infra/kubernetes/dashboards/${name}/config-map.yaml`] ?? ""));

test("When Grafana's sidecar looks for dashboards, it should find the one of the examples", () => {
  const { metadata, data } = read("grafana");
  expect(metadata).toEqual({ namespace: "hubrelay", labels: { grafana_dashboard: "1" } });
  expect(JSON.parse(data["hubrelay.json"])).toEqual(dashboard);
});

test("When OpenShift's console shows its dashboards, it should have every panel, of types and queries that it knows", () => {
  const { metadata, data } = read("openshift");
  expect(metadata).toEqual({
    namespace: "openshift-config-managed",
    labels: { "console.openshift.io/dashboard": "true" },
  });
  const { rows } = board.parse(JSON.parse(data["hubrelay.json"]));
  expect(rows[0]?.title).toBe("The fleet");
  const shown = rows.flatMap(({ panels }) => panels);
  expect(shown).toHaveLength(dashboard.panels.filter(({ type }) => type !== "row").length);
  expect(data["hubrelay.json"]).not.toMatch(/\$(?:function|\{datasource)/);
});
