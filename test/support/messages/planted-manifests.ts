import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { eventLabels } from "#functions/hosted-clusters/well-known-names.ts";
import { fieldsOf, isRecord, ownValue, type UnknownRecord } from "#shared/domain/kubernetes/json/values.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { packageFile } from "../../../cli/program/package-files.ts";
import { seeds } from "../../fuzz/seeds.ts";
import { aClusterVersion, aDigestMirrorSet, anImageConfig, aPool, aTagMirrorSet } from "../hub/objects.ts";
import {
  aManagedCluster,
  anUpgrade,
  aPolicy,
  aPreCachingConfig,
  aWantedRelease,
} from "../precache/precache-plan-objects.ts";
import { aWindow } from "../precache/precache-windows.ts";
import { aSecret, credentialForms, tracesOf } from "./credential-forms.ts";

const exampleObjects = [packageFile("examples/hub"), packageFile("examples/fleet")].flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .sort()
    .flatMap((file) => readManifests(readFileSync(join(folder, file), "utf8"), file).objects)
    .map(({ object }) => object),
);
const rule = { source: "quay.io/acme", mirrors: ["mirror.example.com/acme"] };
/** Objects of every kind that commands read. */
const objects: readonly KubernetesObject[] = [
  ...exampleObjects,
  ...seeds,
  aPool("worker"),
  aClusterVersion(),
  anImageConfig({ insecureRegistries: ["quay.io/acme"], blockedRegistries: ["quay.io/idle"] }),
  aManagedCluster("sno1"),
  aManagedCluster("sno2"),
  aDigestMirrorSet("digests", [{ ...rule, mirrorSourcePolicy: "NeverContactSource" }]),
  aTagMirrorSet("tags", [rule]),
  { ...kinds.ImageContentSourcePolicy, metadata: { name: "old" }, spec: { repositoryDigestMirrors: [rule] } },
  anUpgrade(
    { preCachingConfigRef: { name: "config" } },
    { annotations: { "hubrelay.dev/max-per-registry": "4" } },
  ),
  aPolicy("platform", [
    aWantedRelease({
      upstream: "http://127.0.0.1:1/",
      channel: "stable-4.20",
      desiredUpdate: { version: "4.20.3" },
    }),
  ]),
  aPreCachingConfig({
    spaceRequired: "40 GiB",
    excludePrecachePatterns: ["aws"],
    overrides: { platformImage: `quay.io/ocp@sha256:${"b".repeat(64)}` },
    additionalImages: [`quay.io/acme/app@sha256:${"a".repeat(64)}`],
  }),
  {
    apiVersion: "v1",
    kind: "Event",
    metadata: { namespace: "clusters", name: "shop.1", labels: eventLabels("clusters/shop") },
    type: "Warning",
    reason: "Refused",
    message: "spec.capabilities: unknown",
    source: { component: "hubrelay-hosted-clusters" },
    firstTimestamp: "2026-03-01T02:00:00Z",
    lastTimestamp: "2026-03-01T02:00:00Z",
    involvedObject: { kind: "HostedCluster", namespace: "clusters", name: "shop" },
  },
  aWindow("night", { exclusions: [{ from: "2026-03-01", to: "2026-03-01", reason: "audit" }] }),
];

type Path = readonly (string | number)[];

/** Returns every place in a value where a text is, as its path. */
function textsIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value === "string") return [at];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...at, index]));
  return isRecord(value) ? Object.entries(value).flatMap(([key, field]) => textsIn(field, [...at, key])) : [];
}

/** The fields with another text in one place. */
function withText(value: UnknownRecord, path: Path, write: (text: string) => string): UnknownRecord {
  const replaced = (part: unknown, [key, ...rest]: Path): unknown => {
    if (key === undefined) return write(String(part));
    if (Array.isArray(part)) return part.map((item, index) => (index === key ? replaced(item, rest) : item));
    return isRecord(part) ? { ...part, [key]: replaced(part[String(key)], rest) } : part;
  };
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      key === path[0] ? replaced(field, path.slice(1)) : field,
    ]),
  );
}

/** Another text from a text and what is planted: people write a credential instead of a value, and beside one. */
const beside: Readonly<Record<string, (value: string, text: string) => string>> = {
  "instead of": (_value, text) => text,
  after: (value, text) => `${value} ${text}`,
  "in brackets after": (value, text) => `${value} (${text})`,
  "in a list after": (value, text) => `${value},${text}`,
};

/** Where else than in a text of the object a credential may be: `secret` needs no form in a field named like one. */
const elsewhere: Readonly<
  Record<string, (object: KubernetesObject, text: string, secret: string) => Partial<KubernetesObject>>
> = {
  "an annotation": ({ metadata }, text) => annotated(metadata, { note: text }),
  "the name of an annotation": ({ metadata }, text) => annotated(metadata, { [text]: "true" }),
  "an annotation of hubrelay": ({ metadata }, text) => annotated(metadata, { "hubrelay.dev/max-cost": text }),
  "an unknown annotation of hubrelay": ({ metadata }, text) =>
    annotated(metadata, { "hubrelay.dev/max-price": text }),
  "an annotation named password": ({ metadata }, _text, secret) => annotated(metadata, { password: secret }),
  "a label": ({ metadata }, text) => ({
    metadata: { ...metadata, labels: { ...metadata.labels, note: text } },
  }),
  "a finalizer": ({ metadata }, text) => ({ metadata: { ...metadata, finalizers: [text] } }),
  "an unknown field": ({ spec }, text) => ({ spec: { ...fieldsOf(spec), unknownField: text } }),
  "an unknown list": ({ spec }, text) => ({ spec: { ...fieldsOf(spec), unknownList: ["a", [text]] } }),
  "an unknown map": ({ spec }, text) => ({ spec: { ...fieldsOf(spec), unknownMap: { a: { b: text } } } }),
  "the name of a field": ({ spec }, text) => ({ spec: { ...fieldsOf(spec), [text]: {} } }),
  "a field named password": ({ spec }, _text, secret) => ({ spec: { ...fieldsOf(spec), password: secret } }),
  "the whole spec": (_object, text) => ({ spec: text }),
  "the whole status": (_object, text) => ({ status: text }),
  "the apiVersion": (_object, text) => ({ apiVersion: text }),
  "the kind": (_object, text) => ({ kind: text }),
};

const annotated = (
  metadata: KubernetesObject["metadata"],
  annotations: Readonly<Record<string, string>>,
): Partial<KubernetesObject> => ({
  metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
});

/** A manifest with a credential of its own, and where that is. */
export type Planted = Readonly<{ object: KubernetesObject; secret: string; where: string }>;

type Choice = Readonly<{ form: string; place: number; way: string; secret: string }>;

function planted(object: KubernetesObject, { form, place, way, secret }: Choice): Planted {
  const text = ownValue(credentialForms, form)?.(secret) ?? secret;
  const { kind, apiVersion, ...rest } = object;
  const texts = textsIn(rest);
  const at = texts[place % (texts.length + Object.keys(elsewhere).length)];
  if (at === undefined) {
    const [name = "", change] = Object.entries(elsewhere)[place % Object.keys(elsewhere).length] ?? [];
    return {
      object: { ...object, ...change?.(object, text, secret) },
      secret,
      where: `${form} in ${name} of ${kind}`,
    };
  }
  const write = ownValue(beside, way) ?? (() => text);
  return {
    object: { ...object, ...withText(rest, at, (value) => write(value, text)) },
    secret,
    where: `${form} ${way} ${at.join(".")} of ${kind}`,
  };
}

/** Manifests of which each has a credential somewhere. */
export function plantedManifests(): fc.Arbitrary<readonly Planted[]> {
  const choice = fc.record({
    form: fc.constantFrom(...Object.keys(credentialForms)),
    place: fc.nat(9_999),
    way: fc.constantFrom(...Object.keys(beside)),
    secret: aSecret,
  });
  return fc.tuple(...objects.map((object) => choice.map((chosen) => planted(object, chosen))));
}

/** No trace is shorter, and none has another character: elsewhere in a text there is none. */
const beginning = 16;
const mayBeTrace = /[A-Za-z\d+/]{16,}/g;

/**
 * Returns a function that returns the planted credentials in a text: where they were, and the line. It finds all of
 * them in one pass, since hundreds of manifests have thousands of traces.
 */
export function leakFinder(manifests: readonly Planted[]): (text: string) => readonly string[] {
  const traces = manifests.flatMap(({ secret, where }) =>
    tracesOf(secret).map((trace) => ({ trace, where })),
  );
  const byBeginning = Map.groupBy(traces, ({ trace }) => trace.slice(0, beginning));
  return (text) => {
    const found = new Set<(typeof traces)[number]>();
    for (const { 0: run, index } of text.matchAll(mayBeTrace))
      for (let at = 0; at + beginning <= run.length; at++)
        for (const one of byBeginning.get(run.slice(at, at + beginning)) ?? [])
          if (text.startsWith(one.trace, index + at)) found.add(one);
    return traces
      .filter((one) => found.has(one))
      .map(({ trace, where }) => `${where}: ${text.split("\n").find((line) => line.includes(trace))}`);
  };
}
