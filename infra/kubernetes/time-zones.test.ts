import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fieldsOf, objectsOf } from "#shared/domain/kubernetes/json/values.ts";
import { overlayObjects } from "../chart/chart-objects.ts";
import { paths } from "../paths.ts";

const read = (path: string) => readFile(join(paths.root, path), "utf8");

test.for<readonly [file: string, name: string]>([
  ...["hosted-clusters", "maintenance-window", "mirror-config", "precache-plan", "precache-ready"].map(
    (name) => ["base/workers", name] as const,
  ),
  ["base/workers", "precache-status"],
  ["base/resync", "resync"],
  ["components/console/console", "console"],
  ["run/run", "run"],
])(
  "When there is a ConfigMap with time zone data, the pods of %s %s should have it where the image looks for it",
  async ([file, name]) => {
    const [, folder] = /^ENV ICU_TIMEZONE_FILES_DIR=(\S+)$/m.exec(await read("Containerfile")) ?? [];
    const path = `infra/kubernetes/${file}.yaml`;
    const workload = overlayObjects(path, await read(path)).find(
      ({ kind, metadata }) => /^(?:Deployment|CronJob)$/.test(kind) && metadata.name === `hubrelay-${name}`,
    );
    const spec = fieldsOf(workload?.spec);
    const { template } = spec.jobTemplate ? fieldsOf(fieldsOf(spec.jobTemplate).spec) : spec;
    const pod = fieldsOf(fieldsOf(template).spec);
    const [container] = objectsOf(pod.containers);
    const mount = { name: "time-zones", mountPath: folder, readOnly: true };
    expect(container).toMatchObject({ image: "hubrelay", volumeMounts: [mount] });
    const configMap = { name: "hubrelay-time-zones", optional: true };
    expect(objectsOf(pod.volumes)).toContainEqual({ name: "time-zones", configMap });
  },
);
