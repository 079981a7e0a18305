import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { prometheusMetrics } from "#shared/adapters/telemetry/prometheus-metrics.ts";

const alert = z.object({
  alert: z.string(),
  expr: z.string(),
  annotations: z.object({ summary: z.string(), description: z.string() }),
});
const ruleFile = z.object({ spec: z.object({ groups: z.array(z.object({ rules: z.array(alert) })) }) });

const text = await readFile(join(import.meta.dirname, "components/prometheus/alerts.yaml"), "utf8");
const alerts = ruleFile.parse(parse(text)).spec.groups.flatMap(({ rules }) => rules);

/**
 * Metrics of kube-state-metrics, which every Prometheus operator installation has. OpenShift's leaves out every
 * `kube_*_created`.
 */
const ofKubernetes = [
  "kube_cronjob_spec_suspend",
  "kube_cronjob_status_last_successful_time",
  "kube_deployment_status_replicas_unavailable",
  "kube_pod_container_status_restarts_total",
];

test.for(alerts)("When $alert queries metrics, they should exist", async ({ expr }) => {
  const exposed = await prometheusMetrics().text();
  const named = [...expr.matchAll(/\b(?:hubrelay|kube)_\w+/g)].map(([name]) => name.replace(/_bucket$/, ""));
  const unknown = named.filter(
    (name) => !ofKubernetes.includes(name) && !exposed.includes(`# TYPE ${name} `),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(unknown).toEqual([]);
});
