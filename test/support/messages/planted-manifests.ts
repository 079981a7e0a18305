import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { isRecord, type UnknownRecord } from "#shared/domain/json/values.ts";
import { kinds } from "#shared/domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "#shared/domain/kubernetes/object.ts";
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
import { credentialForms } from "./credential-forms.ts";

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
  aWindow("night", { exclusions: [{ from: "2026-03-01", to: "2026-03-01", reason: "audit" }] }),
];

type Path = readonly (string | number)[];

/** Returns every place in a value where a text is, as its path. */
function textsIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value === "string") return [at];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...at, index]));
  return isRecord(value) ? Object.entries(value).flatMap(([key, field]) => textsIn(field, [...at, key])) : [];
}

/** The fields with a text in one place. */
function withText(value: UnknownRecord, path: Path, text: string): UnknownRecord {
  const replaced = (part: unknown, [key, ...rest]: Path): unknown => {
    if (key === undefined) return text;
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

/** The object with a text in one of its fields, in an annotation or label, in the name of one, or in a field of no kind. */
function planted(object: KubernetesObject, place: number, text: string): KubernetesObject {
  const { kind, apiVersion, ...rest } = object;
  const { metadata } = rest;
  const more = [
    { metadata: { ...metadata, annotations: { ...metadata.annotations, note: text } } },
    { metadata: { ...metadata, annotations: { ...metadata.annotations, [text]: "true" } } },
    { metadata: { ...metadata, annotations: { ...metadata.annotations, "hubrelay.dev/max-cost": text } } },
    { metadata: { ...metadata, labels: { ...metadata.labels, note: text } } },
    { spec: { ...(isRecord(object.spec) && object.spec), unknownField: text } },
    { spec: { ...(isRecord(object.spec) && object.spec), [text]: {} } },
    { apiVersion: text },
    { kind: text },
  ];
  const texts = textsIn(rest);
  const at = texts[place % (texts.length + more.length)];
  if (at === undefined) return { ...object, ...more[place % more.length] };
  return { ...object, ...withText(rest, at, text) };
}

/** Manifests of which each has a credential somewhere: `form` and `place` are those of the first one. */
export function plantedManifests() {
  const forms = Object.values(credentialForms);
  return fc
    .record({
      form: fc.nat(forms.length - 1),
      place: fc.nat(999),
      secret: fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{25}$/),
    })
    .map(({ form, place, secret }) => ({
      secret,
      manifests: objects.map((object, index) =>
        planted(object, place + index, forms[(form + index) % forms.length]?.(secret) ?? secret),
      ),
    }));
}

/** The same objects, whose names, mirrors and sources end in words that name credentials elsewhere. */
export function namedLikeSecrets(): readonly unknown[] {
  const renamed = (value: unknown): unknown => {
    if (typeof value === "string")
      return /^[a-z\d.-]+(?::\d+)?(?:\/[a-z\d-]+)+$/.test(value) ? `${value}/secret` : value;
    if (Array.isArray(value)) return value.map(renamed);
    return isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, field]) => [key, renamed(field)]))
      : value;
  };
  return objects.map(({ apiVersion, kind, metadata, ...rest }, index) => {
    const name = `${metadata.name}-${index % 2 === 0 ? "token" : "password"}`;
    const isSingleton = ["cluster", "version", "worker"].includes(metadata.name);
    return {
      ...(isRecord(rest) &&
        Object.fromEntries(Object.entries(rest).map(([key, field]) => [key, renamed(field)]))),
      apiVersion,
      kind,
      metadata: isSingleton ? metadata : { ...metadata, name },
    };
  });
}
