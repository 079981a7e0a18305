import { expect, test } from "vitest";
import { failureReason, renderFailed } from "./unrendered-issues.ts";

test.for([
  ["kustomize", "Error: must build at directory", "must build at directory"],
  ["kubectl", "error: must build at directory\n", "must build at directory"],
  [
    "kubectl with a log",
    'E1126 10:13:00.660990   14566 run.go:72] "command failed" err="must build at directory"',
    '"must build at directory"',
  ],
  [
    "kustomize, which quotes a configuration",
    "# Warning: 'bases' is deprecated.\nError: trouble configuring builtin PatchTransformer with config: `\npath: p.yaml\n`: unable to parse SM or JSON patch",
    "trouble configuring builtin PatchTransformer with config: ` path: p.yaml `: unable to parse SM or JSON patch",
  ],
  [
    "Helm, which gives advice",
    "Error: YAML parse error on mirrors/templates/a.yaml: error converting YAML to JSON\n\nUse --debug flag to render out invalid YAML\n",
    "YAML parse error on mirrors/templates/a.yaml: error converting YAML to JSON",
  ],
  ["another program", "what\nit says", "it says"],
] as const)("When the error is that of %s, it should be its reason on one line", ([, stderr, reason]) => {
  expect(failureReason(stderr)).toBe(reason);
});

test.for([
  ["mirrors/templates/a.yaml:8:5: executing", { file: "charts/m/templates/a.yaml", line: 8, column: 5 }],
  [
    "parse error at (mirrors/templates/sub/_a.tpl:8)",
    { file: "charts/m/templates/sub/_a.tpl", line: 8, column: 1 },
  ],
  [
    "YAML parse error on mirrors/templates/a.yaml: x",
    { file: "charts/m/templates/a.yaml", line: 1, column: 1 },
  ],
  ["values don't meet the schema", { file: "charts/m/Chart.yaml", line: 1, column: 1 }],
] as const)("When Helm's reason is %j, the issue should be there", ([reason, place]) => {
  const chart = { folder: "charts/m", file: "charts/m/Chart.yaml" };
  const issue = renderFailed(chart, {
    command: "helm template charts/m",
    program: "helm template",
    stderr: `Error: ${reason}`,
  });
  expect(issue).toMatchObject({ code: "RenderFailed", severity: "error", ...place });
  expect(issue.message).toBe(`helm template failed: ${reason}.`);
});
