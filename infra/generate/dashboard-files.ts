import { stringify } from "yaml";
import * as z from "zod";
import dashboard from "../../examples/dashboards/hubrelay.json" with { type: "json" };

const panels = z.array(
  z.object({
    id: z.number(),
    type: z.enum(["row", "stat", "timeseries"]),
    title: z.string(),
    gridPos: z.object({ w: z.number() }),
    fieldConfig: z.object({ defaults: z.object({ unit: z.string().default("short") }) }).optional(),
    targets: z
      .array(z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string().default("") }))
      .default([]),
  }),
);
type Panel = z.infer<typeof panels>[number];

/** Removes Grafana's variable from a query, since OpenShift's console has no variables. */
const withoutVariables = (expr: string): string => expr.replace(/\{function=~"\$function"\}/g, "");

/**
 * OpenShift's console expects the panel types of Grafana before version 7, in a grid of 12 columns.
 * Source: github.com/openshift/monitoring-plugin main at 276015a5,
 * web/src/features/legacy-dashboards/components/LegacyDashboard.tsx:272 and types/types.ts.
 */
function consolePanel({ id, type, title, gridPos, fieldConfig, targets }: Panel) {
  const format = fieldConfig?.defaults.unit ?? "short";
  return {
    id: String(id),
    type: type === "stat" ? "singlestat" : "graph",
    title,
    span: gridPos.w / 2,
    targets: targets.map(({ expr, ...target }) => ({ ...target, expr: withoutVariables(expr) })),
    ...(type === "stat" ? { format } : { legend: { show: true }, yaxes: [{ format }] }),
  };
}

/** Returns the dashboard for OpenShift's console, made from the rows and panels of the dashboard for Grafana. */
export function consoleDashboard(): unknown {
  const all = panels.parse(dashboard.panels);
  const starts = all.flatMap(({ type }, index) => (type === "row" ? [index] : []));
  return {
    title: "hubrelay",
    tags: dashboard.tags,
    templating: { list: [] },
    rows: starts.map((start, row) => ({
      title: all[start]?.title ?? "",
      showTitle: true,
      panels: all.slice(start + 1, starts[row + 1]).map(consolePanel),
    })),
  };
}

function configMap(
  name: string,
  namespace: string,
  labels: Readonly<Record<string, string>>,
  board: unknown,
): string {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, labels },
    data: { "hubrelay.json": `${JSON.stringify(board)}\n` },
  };
  return `# By \`npm run generate\`, from examples/dashboards/hubrelay.json.\n${stringify(object, { lineWidth: 0 })}`;
}

const folder = "infra/kubernetes/dashboards";

/** Returns the ConfigMaps for the dashboards of Grafana and of OpenShift's console. The key is the file's path. */
export function dashboardFiles(): Readonly<Record<string, string>> {
  return {
    [`${folder}/grafana/config-map.yaml`]: configMap(
      "hubrelay-dashboard",
      "hubrelay",
      { grafana_dashboard: "1" },
      dashboard,
    ),
    [`${folder}/openshift/config-map.yaml`]: configMap(
      "dashboard-hubrelay",
      "openshift-config-managed",
      { "console.openshift.io/dashboard": "true" },
      consoleDashboard(),
    ),
  };
}
