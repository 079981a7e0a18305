import { parseAllDocuments } from "yaml";
import { fieldsOf, listOf, objectsOf, type UnknownRecord } from "#shared/domain/kubernetes/json/values.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
import { tryParseManifestObject } from "#shared/domain/manifests/manifest-object.ts";

const clusterScoped =
  /^(?:ClusterRole(?:Binding)?|ValidatingAdmissionPolicy(?:Binding)?|CustomResourceDefinition|PriorityLevelConfiguration|FlowSchema)$/;
const partOf = { "app.kubernetes.io/part-of": "hubrelay" };

const withLabel = (metadata: unknown): UnknownRecord => {
  const fields = fieldsOf(metadata);
  return { ...fields, labels: { ...fieldsOf(fields.labels), ...partOf } };
};

function withPodTemplates(object: KubernetesObject, change: (template: UnknownRecord) => UnknownRecord) {
  const spec = fieldsOf(object.spec);
  if (object.kind === "Deployment")
    return { ...object, spec: { ...spec, template: change(fieldsOf(spec.template)) } };
  if (object.kind !== "CronJob") return object;
  const job = fieldsOf(spec.jobTemplate);
  const jobSpec = fieldsOf(job.spec);
  const jobTemplate = {
    ...job,
    metadata: withLabel(job.metadata),
    spec: { ...jobSpec, template: change(fieldsOf(jobSpec.template)) },
  };
  return { ...object, spec: { ...spec, jobTemplate } };
}

/** Returns the objects in a manifest, with the namespace and the labels that the overlays of Kustomize set. */
export function overlayObjects(path: string, text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).map((document) => {
    const object = tryParseManifestObject(document.toJS());
    if (!object) throw new Error(`${path} has a document that is no object of Kubernetes`);
    const scope = clusterScoped.test(object.kind) ? {} : { namespace: "hubrelay" };
    const { name, ...metadata } = object.metadata;
    const labelled = {
      ...object,
      metadata: { name, ...scope, ...metadata, labels: { ...metadata.labels, ...partOf } },
    };
    return withPodTemplates(labelled, (template) => ({
      ...template,
      metadata: withLabel(template.metadata),
    }));
  });
}

/** Placeholders in templated objects. `withTemplates` in chart-files.ts replaces each by an include of Helm. */
export const marks = { key: "~include", item: "~include:" } as const;

const itemOf = (name: string, indented = "") => `${marks.item}${name}${indented}`;

function templatedContainer(container: UnknownRecord, workload: string): UnknownRecord {
  if (container.image !== "hubrelay") return container;
  const [command] = listOf(container.args);
  const takesFunctions = command === "run" || command === "forward";
  const { resources, ...others } = container;
  return {
    ...others,
    image: '<<include "hubrelay.image" .>>',
    args: [...listOf(container.args), ...(takesFunctions ? [itemOf("functionArgs")] : [])],
    env: [...listOf(container.env), itemOf("env")],
    envFrom: [...listOf(container.envFrom), itemOf("envFrom")],
    volumeMounts: [...listOf(container.volumeMounts), itemOf("volumeMounts")],
    [marks.key]: `resources ${workload} ${JSON.stringify(resources)}`,
  };
}

function templatedPods(object: KubernetesObject): KubernetesObject {
  const { name } = object.metadata;
  return withPodTemplates(object, (template) => {
    const metadata = fieldsOf(template.metadata);
    const spec = fieldsOf(template.spec);
    return {
      ...template,
      metadata: {
        ...metadata,
        annotations: {
          ...fieldsOf(metadata.annotations),
          "checksum/settings": '<<include "hubrelay.settings" . | sha256sum>>',
        },
      },
      spec: {
        ...spec,
        containers: objectsOf(spec.containers).map((container) => templatedContainer(container, name)),
        volumes: [...listOf(spec.volumes), itemOf("volumes")],
        [marks.key]: "pod",
      },
    };
  });
}

function templatedScaler(object: KubernetesObject): KubernetesObject {
  const spec = fieldsOf(object.spec);
  const triggers = objectsOf(spec.triggers).map((trigger) => {
    if (trigger.type !== "aws-sqs-queue") return trigger;
    const { awsRegion: _, ...metadata } = fieldsOf(trigger.metadata);
    return { ...trigger, metadata: { ...metadata, [marks.key]: "queueServer" } };
  });
  return { ...object, spec: { ...spec, triggers } };
}

/** Returns the object with Helm's templates in place of the parts that the chart's values set. */
export function templatedObject(object: KubernetesObject): KubernetesObject {
  if (object.kind === "ScaledObject") return templatedScaler(object);
  if (object.kind === "ServiceAccount") {
    const metadata = { ...object.metadata, [marks.key]: `account ${object.metadata.name}` };
    return { ...object, metadata };
  }
  if (object.kind === "CustomResourceDefinition")
    return {
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { ...object.metadata.annotations, "helm.sh/resource-policy": "keep" },
      },
    };
  if (object.kind === "Role" && object.metadata.name === "hubrelay-run")
    return {
      ...object,
      rules: objectsOf(object.rules).map((rule) => ({
        ...rule,
        resourceNames: [itemOf("accountNames"), "hubrelay-forwarder", "hubrelay-resync"],
      })),
    };
  return templatedPods(object);
}

/** Returns a workload with the environment variables of the patch. Any other object is returned unchanged. */
export function withEnvironmentOf(object: KubernetesObject, patch: KubernetesObject): KubernetesObject {
  const [container] = objectsOf(fieldsOf(fieldsOf(fieldsOf(patch.spec).template).spec).containers);
  const added = objectsOf(container?.env);
  const names = new Set(added.map(({ name }) => name));
  return withPodTemplates(object, (template) => {
    const spec = fieldsOf(template.spec);
    const containers = objectsOf(spec.containers).map((container) => {
      if (container.image !== "hubrelay") return container;
      const kept = objectsOf(container.env).filter(({ name }) => !names.has(name));
      return { ...container, env: [...kept, ...added] };
    });
    return { ...template, spec: { ...spec, containers } };
  });
}
