import { fieldsOf, isRecord, listOf, ownValue } from "../kubernetes/json/values.ts";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { sentence } from "../text/redact.ts";
import { fieldWarning, type Issue } from "./issue.ts";
import { nearestName } from "./nearest-name.ts";

/** The names of a kind's fields, by the path of the object that has them. `[]` in a path means every item of a list. */
export type KnownFields = Readonly<Record<string, readonly string[]>>;

const everyObject = {
  "": ["apiVersion", "kind", "metadata", "spec", "status"],
  metadata: [
    "name",
    "namespace",
    "labels",
    "annotations",
    "generateName",
    "finalizers",
    "ownerReferences",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "resourceVersion",
    "uid",
    "selfLink",
    "managedFields",
    "clusterName",
  ],
} as const satisfies KnownFields;

function valuesAt(object: unknown, path: string): readonly (readonly [path: string, value: unknown])[] {
  if (path === "") return [["", object]];
  return path.split(".").reduce<readonly (readonly [string, unknown])[]>(
    (found, step) => {
      const field = step.replace("[]", "");
      return found.flatMap(([above, value]) => {
        const at = above === "" ? field : `${above}.${field}`;
        const next = isRecord(value) ? ownValue(value, field) : undefined;
        if (field === step) return [[at, next] as const];
        const items: readonly unknown[] = listOf(next);
        return items.map((item, index) => [`${at}[${index}]`, item] as const);
      });
    },
    [["", object]],
  );
}

/** Returns the only name that begins with `word`, if `word` is at least a third of that name; otherwise undefined. */
function nameOfWord(word: string, known: readonly string[]): string | undefined {
  const names = known.filter((one) => one.startsWith(word) && /^[A-Z]/.test(one.slice(word.length)));
  const [name = ""] = names;
  return names.length === 1 && word.length * 3 >= name.length ? name : undefined;
}

function remedyFor(place: string, field: string, known: KnownFields): string {
  const here = ownValue(known, place) ?? [];
  const meant = nearestName(field, here) ?? nameOfWord(field, here);
  const [home, another] = Object.keys(known).filter(
    (one) => one !== place && ownValue(known, one)?.includes(field),
  );
  const isOnce = home !== undefined && another === undefined;
  const there = home === "" ? "at the root of the object" : sentence`below ${home}`;
  if (meant !== undefined && isOnce) return sentence`Did you mean ${meant}? If not, write it ${there}.`;
  if (meant !== undefined) return sentence`Did you mean ${meant}?`;
  if (isOnce) return sentence`Write it ${there}.`;
  return sentence`Remove it, or correct its name; the fields here are ${here.join(", ")}.`;
}

/** Returns the warning about a field that the kind does not have at `place`, without the field's value. */
export function unknownField(
  object: KubernetesObject,
  { path, place }: Readonly<{ path: string; place: string }>,
  known: KnownFields,
  remedy = remedyFor(place, path.slice(path.lastIndexOf(".") + 1), known),
): Issue {
  return fieldWarning(object, path, undefined, {
    code: "UnknownField",
    message: sentence`${object.kind} has no such field here: oc and kubectl refuse it, and other clients drop it.`,
    remedy,
  });
}

type Renamed = Readonly<Record<string, string>>;

function unknownAt(
  object: KubernetesObject,
  places: KnownFields,
  known: KnownFields,
  renamed: Renamed = {},
): readonly Issue[] {
  return Object.entries(places).flatMap(([place, here]) =>
    valuesAt(object, place).flatMap(([at, value]) =>
      Object.keys(fieldsOf(value))
        .filter((field) => !here.includes(field))
        .map((field): Issue => {
          const path = at === "" ? field : `${at}.${field}`;
          return unknownField(object, { path, place }, known, ownValue(renamed, path));
        }),
    ),
  );
}

/** Returns a warning for each unknown field at an object's root or in its metadata. */
export function fieldsOutsideSpec(object: KubernetesObject, ofKind: KnownFields): readonly Issue[] {
  return unknownAt(object, everyObject, { ...everyObject, ...ofKind });
}

/** Returns a warning for each field that objects of this kind cannot have at its place. */
export function unknownFields(
  object: KubernetesObject,
  ofKind: KnownFields,
  renamed?: Renamed,
): readonly Issue[] {
  const known: KnownFields = { ...everyObject, ...ofKind };
  return unknownAt(object, known, known, renamed);
}

const refusedCodes: ReadonlySet<Issue["code"]> = new Set(["UnknownField", "NameWithoutEffect"]);

/** Fields of newer versions or successors, by kind. Issues about them stay warnings: a cluster may know the fields. */
const newerFields: Readonly<Record<string, readonly string[]>> = {
  ImageContentSourcePolicy: ["mirrorSourcePolicy"],
  ImageSourceDigestPolicy: ["mirrorSourcePolicy"],
  ImageSourceTagPolicy: ["mirrorSourcePolicy"],
  Image: ["imageStreamImportMode"],
  ClusterImagePolicy: ["pki"],
  ImagePolicy: ["pki"],
};

/** Reports whether an issue becomes an error. Issues of a `File` stay warnings: the installer drops unknown fields. */
const isRefused = ({ code, object, path }: Issue): boolean =>
  refusedCodes.has(code) &&
  object.kind !== "File" &&
  !ownValue(newerFields, object.kind)?.includes(path.replace(/^.*\./, ""));

/**
 * Turns warnings about unknown fields and names without effect into errors, except for `newerFields` and files of the
 * installer. Commands use this function to check manifests before they are applied.
 */
export function refusingUnknown(issues: readonly Issue[]): readonly Issue[] {
  return issues.map((issue) => (isRefused(issue) ? { ...issue, severity: "error" } : issue));
}
