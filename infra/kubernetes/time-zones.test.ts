import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fieldsOf, objectsOf } from "#shared/domain/kubernetes/json/values.ts";
import { overlayObjects } from "../chart/chart-objects.ts";
import { paths } from "../paths.ts";

const read = (path: string) => readFile(join(paths.root, path), "utf8");

test.for([
  "base/hosted-clusters",
  "base/maintenance-window",
  "base/mirror-config",
  "base/precache-plan",
  "base/precache-ready",
  "base/precache-status",
  "base/resync",
  "components/console/console",
  "run/run",
])(
  "When there is a ConfigMap with time zone data, the pods of %s should have it where the image looks for it",
  async (file) => {
    const [, folder] = /^ENV ICU_TIMEZONE_FILES_DIR=(\S+)$/m.exec(await read("Containerfile")) ?? [];
    const path = `infra/kubernetes/${file}.yaml`;
    const [workload] = overlayObjects(path, await read(path));
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
