import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { sharedFolder } from "../../test/support/setup/temporary-folder.ts";
import { paths } from "../paths.ts";
import { nodeLabels } from "./fixtures.ts";
import { generatedFiles } from "./generated-files.ts";
import { stackParts } from "./stack.ts";

const generated = generatedFiles(paths.root);

test("When a function's manifest has changed, `npm run generate` should have written what follows from it", async () => {
  for (const [path, content] of Object.entries(generated))
    expect(await readFile(join(paths.root, path), "utf8"), path).toBe(content);
});

test("When a function is gone, its account should not stay in infra/hub-rbac", async () => {
  for (const name of await readdir(join(paths.root, "infra/hub-rbac"))) {
    const text = await readFile(join(paths.root, "infra/hub-rbac", name), "utf8");
    if (text.startsWith("# functions/")) expect(Object.keys(generated)).toContain(`infra/hub-rbac/${name}`);
  }
});

describe("a new function", () => {
  const copy = sharedFolder();
  let files: Readonly<Record<string, string>>;
  const added = { ...nodeLabels, sendsTo: ["mirror-configs"], settings: { HUBRELAY_LABELS: "labels" } };
  const manifest = `export const manifest = ${JSON.stringify(added)};
export const hubRole = () => ({
  why: "labels nodes",
  rules: [{ why: "To label them.", apiGroups: [""], resources: ["nodes"], verbs: ["patch"] }],
});\n`;
  const watches = `import { kinds } from "#shared/domain/kubernetes/object.ts";
const mapToKeys = () => [];
export const nodeLabelsWatches = { watches: [
  { kind: { ...kinds.ConfigMap, apiVersion: "labels.example.com/v1", plural: "labelsets" }, mapToKeys },
] };\n`;

  beforeAll(async () => {
    for (const path of ["functions", "infra", "package.json", "docs/reference/environment.md"])
      await cp(join(paths.root, path), join(copy.path, path), { recursive: true });
    for (const path of ["shared", "node_modules"])
      await symlink(join(paths.root, path), join(copy.path, path));
    await mkdir(join(copy.path, "functions/node-labels"));
    await writeFile(join(copy.path, "functions/node-labels/manifest.ts"), manifest);
    await writeFile(join(copy.path, "functions/node-labels/watches.ts"), watches);
    files = generatedFiles(copy.path);
  });

  test("When its folder is all that is added, the stack should have its function, queue, rights, roles and alarms", () => {
    const { functions, resources, queues, watchedQueueUrls } = stackParts(copy.path);
    expect(functions["node-labels"]).toMatchObject({
      timeout: 45,
      role: "NodeLabelsRole",
      environment: {
        HUBRELAY_LABELS: "$" + "{param:labels}",
        HUBRELAY_QUEUE_URLS: { "Fn::Sub": '{"mirror-configs":"$' + '{MirrorConfigsQueue}"}' },
      },
      events: [
        { sqs: { arn: { "Fn::GetAtt": ["NodeLabelSetsQueue", "Arn"] }, maximumConcurrency: 3 } },
        { schedule: { rate: "rate(1 day)", input: { Records: [] } } },
      ],
    });
    const added = Object.keys(resources.Resources).filter((id) => id.startsWith("NodeLabel"));
    expect(added).toEqual([
      "NodeLabelSetsQueue",
      "NodeLabelSetsDeadLetters",
      "NodeLabelsPolicy",
      "NodeLabelsRole",
      "NodeLabelsPodRole",
      "NodeLabelSetsDeadLettersAlarm",
      "NodeLabelSetsAgeAlarm",
      "NodeLabelsErrorsAlarm",
      "NodeLabelsThrottlesAlarm",
      "NodeLabelsTroubleFilter",
      "NodeLabelsTroubleAlarm",
    ]);
    expect(resources.Resources.NodeLabelSetsQueue.Properties.VisibilityTimeout).toBe(400);
    expect(queues).toContainEqual({ Ref: "NodeLabelSetsDeadLetters" });
    expect(watchedQueueUrls["Fn::Sub"]).toContain('"node-label-sets":"$' + '{NodeLabelSetsQueue}"');
  });

  const onPremises: readonly (readonly [string, string])[] = [
    ["infra/kubernetes/base/workers.yaml", "args: [work, --function, node-labels]"],
    ["infra/kubernetes/base/workers.yaml", "terminationGracePeriodSeconds: 75"],
    ["infra/hub-rbac/kustomization.yaml", "  - node-labels.yaml"],
    ["infra/kubernetes/base/forwarder-queues.yaml", '"node-label-sets":"$(NODE_LABEL_SETS_QUEUE_URL)"'],
    ["infra/kubernetes/base/resync.yaml", '"node-label-sets":"$(NODE_LABEL_SETS_QUEUE_URL)"'],
    [
      "infra/kubernetes/components/keda-sqs/scaled-objects.yaml",
      "queueURLFromEnv: NODE_LABEL_SETS_QUEUE_URL",
    ],
    ["infra/kubernetes/components/keda/scaled-objects.yaml", 'messages{queue="node-label-sets"}'],
    ["infra/kubernetes/components/keda/scaled-objects.yaml", "maxReplicaCount: 5"],
    ["infra/kubernetes/components/prometheus/pod-monitor.yaml", "- hubrelay-node-labels"],
    ["infra/kubernetes/overlays/aws-sqs/roles.yaml", "name: hubrelay-node-labels"],
    ["infra/kubernetes/overlays/sqs-endpoint/settings.env", "NODE_LABEL_SETS_QUEUE_URL=https://sqs"],
    ["infra/hub-rbac/node-labels.yaml", '# To label them.\n  - apiGroups: [""]\n    resources: [nodes]'],
    ["infra/hub-rbac/forwarder.yaml", "resources: [labelsets]\n    verbs: [list, watch]"],
    ["infra/hub-rbac/resync.yaml", "resources: [labelsets]\n    verbs: [list]"],
    ["docs/reference/environment.md", "| `node-labels` | 10 | 45 s | 400 s |"],
    ["functions/controllers.ts", 'import { nodeLabels } from "./node-labels/controller.ts";'],
    ["functions/watches.ts", "  nodeLabelsWatches,"],
  ];
  test.for(onPremises)("When its folder is all that is added, %s should have: %s", ([path, text]) => {
    expect(files[path]).toContain(text);
  });
});
