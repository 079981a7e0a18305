import { isLongerThan } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { fieldIssue, fieldWarning, type Issue } from "./issue.ts";

/** The maximum bytes of all annotations, names and values together: apimachinery, TotalAnnotationSizeLimitB. */
const annotationLimit = 256 * 1024;

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** The maximum number of bytes of one character in Go's JSON, which has `\u003c` for `<`. */
const maxBytesPerCharacter = 6;

function goJsonBytes(value: unknown): number {
  const text = JSON.stringify(value);
  const escaped = text.match(/[<>&\u2028\u2029]/g) ?? [];
  const added = escaped.reduce((sum, found) => sum + maxBytesPerCharacter - Buffer.byteLength(found), 0);
  return Buffer.byteLength(text) + added;
}

const bytesOf = (annotations: Readonly<Record<string, string>>): number =>
  Object.entries(annotations).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  );

/** Returns a warning if the object is too large for `kubectl apply`, or an error if its annotations are too large. */
export function sizeIssues(object: KubernetesObject): readonly Issue[] {
  if (!isLongerThan(object, annotationLimit / maxBytesPerCharacter)) return [];
  const { [lastApplied]: _, ...annotations } = object.metadata.annotations ?? {};
  const own = bytesOf(annotations);
  if (own > annotationLimit)
    return [
      fieldIssue(object, "metadata.annotations", own, {
        code: "TooLong",
        message: `The annotations have ${own} bytes, and API servers accept ${annotationLimit}.`,
        remedy: "Remove some, or keep their content elsewhere.",
      }),
    ];
  // The added 1 is the line break at the end of Go's JSON.
  const kept = goJsonBytes({ ...object, metadata: { ...object.metadata, annotations } }) + 1;
  const total = own + Buffer.byteLength(lastApplied) + kept;
  if (total <= annotationLimit) return [];
  return [
    fieldWarning(object, "metadata.annotations", total, {
      code: "ObjectTooLargeForApply",
      message: `\`kubectl apply\` and \`oc apply\` refuse the object for its size: they keep it in an annotation, annotations would have ${total} bytes, and API servers accept ${annotationLimit}.`,
      remedy:
        "Use `kubectl apply --server-side` (Argo CD: ServerSideApply=true), or split the object into several.",
    }),
  ];
}
