import { asWritten, flag, list, orNull, partial, text, valueIn, whole } from "../issues/field.ts";
import { fieldWarning, type Issue } from "../issues/issue.ts";
import { fieldsOf, isRecord, isStringList, typeName, type UnknownRecord } from "../kubernetes/json/values.ts";
import { type KubernetesObject, namespaceOf } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";

/** The fields of a ClusterGroupUpgrade's `spec` that planning needs, with the API server's defaults. */
export type UpgradeSpec = Readonly<{
  preCaching: boolean;
  enable: boolean;
  /** As it is stored: an object or, in an invalid manifest, a value of any other type. */
  preCachingConfigRef: unknown;
  /** Undefined if the field is absent; an empty list selects no cluster. */
  clusters: readonly string[] | undefined;
  clusterSelector: readonly string[] | undefined;
  clusterLabelSelectors: readonly unknown[] | undefined;
  canaries: readonly string[];
  managedPolicies: readonly string[];
  manifestWorkTemplates: readonly string[];
  maxConcurrency: number | undefined;
}>;

/** The finalizer that TALM adds to every ClusterGroupUpgrade that it reconciles. */
export const talmFinalizer = "ran.openshift.io/cleanup-finalizer";

const texts = orNull<readonly string[] | undefined>({
  definition: { type: "array", items: { type: "string" } },
  read: (value, path, refuse) =>
    value === undefined || isStringList(value) ? value : refuse(path, value, "a list of texts"),
});

const selectors = orNull<readonly unknown[] | undefined>({
  definition: { type: "array" },
  read(value, path, refuse) {
    const isList = Array.isArray(value);
    if (value !== undefined && !(isList && value.every(isRecord))) refuse(path, value, "a list of objects");
    return isList ? value : undefined;
  },
});

const reference = partial({ name: asWritten(), namespace: asWritten() });

const clusterChanges = {
  addClusterLabels: asWritten(),
  addClusterAnnotations: asWritten(),
  deleteClusterLabels: asWritten(),
  removeClusterLabels: asWritten(),
  removeClusterAnnotations: asWritten(),
};

/** The schema of `spec`. Fields with `asWritten` may have any value; this schema does not check them. */
export const upgradeFields = orNull(
  partial({
    preCaching: orNull(flag()),
    preCachingConfigRef: asWritten(reference.definition),
    enable: orNull(flag()),
    clusters: texts,
    clusterSelector: texts,
    clusterLabelSelectors: selectors,
    managedPolicies: texts,
    manifestWorkTemplates: texts,
    remediationStrategy: orNull(
      partial({ maxConcurrency: orNull(whole()), timeout: orNull(whole()), canaries: texts }),
    ),
    blockingCRs: orNull(list(partial({ name: text(), namespace: text() }))),
    batchTimeoutAction: asWritten(),
    backup: asWritten(),
    actions: asWritten(
      partial({
        beforeEnable: partial(clusterChanges),
        afterCompletion: partial({ ...clusterChanges, deleteObjects: asWritten() }),
      }).definition,
    ),
  }),
);

/** Returns the fields of `spec` that planning needs. A field of the wrong type counts as absent. */
export function readUpgradeSpec({ spec }: KubernetesObject): UpgradeSpec {
  const fields = valueIn(upgradeFields, spec) ?? {};
  const { canaries = [], maxConcurrency } = fields.remediationStrategy ?? {};
  return {
    preCaching: fields.preCaching ?? false,
    enable: fields.enable ?? true,
    preCachingConfigRef: fields.preCachingConfigRef,
    clusters: fields.clusters,
    clusterSelector: fields.clusterSelector,
    clusterLabelSelectors: fields.clusterLabelSelectors,
    canaries,
    managedPolicies: fields.managedPolicies ?? [],
    manifestWorkTemplates: fields.manifestWorkTemplates ?? [],
    maxConcurrency,
  };
}

const refusedByApi = "The API server refuses it.";

/** A reference to a PreCachingConfig, with issues about the form in which the reference is written. */
export type ConfigReference = Readonly<{ namespace: string; name: string; issues: readonly Issue[] }>;

/** Returns the reference in `preCachingConfigRef`; undefined without a name. The default namespace is the upgrade's. */
export function configReferenceOf(cgu: KubernetesObject, reference: unknown): ConfigReference | undefined {
  // TALM's design document has a list or a plain name here.
  const isOther = typeof reference === "string" || Array.isArray(reference);
  const first: unknown = Array.isArray(reference) ? reference[0] : reference;
  const { name, namespace }: UnknownRecord = typeof first === "string" ? { name: first } : fieldsOf(first);
  if (typeof name !== "string" || name === "") return undefined;
  const formIssue = () =>
    fieldWarning(cgu, "spec.preCachingConfigRef", reference, {
      code: "ReferenceForm",
      message: sentence`It is ${typeName(reference)}; it is read as one object with name and namespace. ${refusedByApi}`,
      remedy: "Write it as an object with the fields name and namespace.",
    });
  return {
    namespace: typeof namespace === "string" && namespace !== "" ? namespace : namespaceOf(cgu),
    name,
    issues: isOther ? [formIssue()] : [],
  };
}

/** Returns the PreCachingConfig that a ClusterGroupUpgrade references, in a list; empty if `configs` lacks it. */
export function configsOf(
  cgu: KubernetesObject,
  configs: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  const reference = configReferenceOf(cgu, readUpgradeSpec(cgu).preCachingConfigRef);
  return configs.filter(
    (config) => config.metadata.name === reference?.name && namespaceOf(config) === reference.namespace,
  );
}

/**
 * Annotation of a ClusterGroupUpgrade: `all`, or the names of the clusters to check, separated by commas. hubrelay
 * removes the annotation when the checks have started.
 */
export const checkAnnotation = "hubrelay.dev/check";

/**
 * Annotation of a ClusterGroupUpgrade: `failed`, or the names of the clusters to retry, separated by commas. hubrelay
 * removes the annotation when the retries have started.
 */
export const retryAnnotation = "hubrelay.dev/retry";
