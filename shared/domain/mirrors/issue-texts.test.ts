import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { configureMirrors, type MirrorInput, type MirrorOptions } from "./configuration.ts";
import {
  aClusterVersion,
  anImage,
  anImageContentSourcePolicy,
  anImageDigestMirrorSet,
  payloadRepository as R,
  releaseImage,
} from "./fixtures.ts";

/*
 * What an administrator reads: the words of each issue and, where machine-config-operator has a message for the
 * same trouble, that one, since it is what people search for.
 */

type Case = Readonly<{
  code: string;
  objects?: readonly KubernetesObject[];
  input?: Omit<MirrorInput, "objects">;
  options?: MirrorOptions;
  message: string | RegExp;
  remedy: string | RegExp;
}>;

const stored = { isStored: true } as const;
const never = "NeverContactSource";
const idms = (...rules: unknown[]) => anImageDigestMirrorSet("idms", rules);
const odd = (apiVersion: string, kind: string, spec?: unknown): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: "odd" },
  spec,
});
const config = "config.openshift.io/v1";

const rules: readonly Case[] = [
  {
    code: "InvalidSource",
    objects: [idms({ source: "q.io/x:tag", mirrors: [] })],
    message: 'invalid format for source "q.io/x:tag"',
    remedy: /^Remove the tag; a source is .*\.$/,
  },
  {
    code: "InvalidMirror",
    objects: [idms({ source: "q.io", mirrors: ["https://m"] })],
    message: 'invalid format for mirror "https://m"',
    remedy: /^Remove the scheme; a mirror is .*\.$/,
  },
  {
    code: "SourceIsOwnMirror",
    objects: [idms({ source: "q.io", mirrors: ["q.io"], mirrorSourcePolicy: never })],
    message: 'cannot set mirrorSourcePolicy: NeverContactSource if the source "q.io" is one of the mirrors',
    remedy: "Remove this mirror, or allow contacting the source.",
  },
  {
    code: "InvalidMirrorSourcePolicy",
    objects: [idms({ source: "q.io", mirrors: ["m"], mirrorSourcePolicy: "Never" })],
    message: /"Never" is unknown/,
    remedy: "Write AllowContactingSource or NeverContactSource, or leave the field out.",
  },
  {
    code: "DuplicateMirror",
    objects: [idms({ source: "q.io", mirrors: ["m", "m"] })],
    message: /^mirror "m" is listed twice; the API server refuses/,
    remedy: /^Remove/,
  },
  {
    code: "DuplicateMirror",
    objects: [anImageContentSourcePolicy("icsp", [{ source: "q.io", mirrors: ["m", "m"] }])],
    message: /^mirror "m" is listed twice, which can move it/,
    remedy: /^Remove/,
  },
  {
    code: "WrongApiVersion",
    objects: [odd("operator.openshift.io/v1", "ImageDigestMirrorSet")],
    message: /^ImageDigestMirrorSet is not served as operator\.openshift\.io\/v1;/,
    remedy: "Write apiVersion: config.openshift.io/v1.",
  },
  {
    code: "UnknownKind",
    objects: [odd(config, "ImageTagMirror")],
    message: /^ImageTagMirror is not a kind of the API;/,
    remedy: /kind: ImageTagMirrorSet, with its rules in spec\.imageTagMirrors\.$/,
  },
  {
    code: "KindWithoutEffect",
    objects: [odd(config, "ImageContentPolicy")],
    message: /nothing reads it/,
    remedy: /ImageDigestMirrorSet and, for pulls by tag, an ImageTagMirrorSet\.$/,
  },
  {
    code: "WrongField",
    objects: [odd(config, "ImageDigestMirrorSet", { repositoryDigestMirrors: [] })],
    message:
      "ImageDigestMirrorSet has its rules in spec.imageDigestMirrors; those in spec.repositoryDigestMirrors have no effect",
    remedy: "Rename spec.repositoryDigestMirrors to spec.imageDigestMirrors.",
  },
  {
    code: "MissingField",
    objects: [odd(config, "ImageTagMirrorSet")],
    message: "ImageTagMirrorSet has no spec; the API server refuses it",
    remedy: "Write a spec with its rules, or remove the object.",
  },
  {
    code: "WildcardSourceNested",
    objects: [idms({ source: "*.q.io", mirrors: ["m"] })],
    input: { image: anImage({ blockedRegistries: ["a.q.io", "b.q.io"] }) },
    message:
      /^internal error: mirrorsAdjustedForNestedScope for a wildcard scope "\*\.q\.io": it covers a\.q\.io, b\.q\.io,/,
    remedy: /^Give a\.q\.io, b\.q\.io mirrors of its own/,
  },
];

const payload: readonly Case[] = [
  {
    code: "MirrorBreaksPayload",
    objects: [idms({ source: R, mirrors: ["m.lab"] })],
    input: { releaseImage },
    message: /^rewriting reference: repository name must be canonical: .*ocp-release" fails$/,
    remedy: /host\[:port\]\/path\.$/,
  },
  {
    code: "PayloadUnreachable",
    objects: [idms({ source: R, mirrorSourcePolicy: never, mirrors: ["m.lab/a"] })],
    input: { releaseImage, image: anImage({ blockedRegistries: ["m.lab"] }) },
    message: /^the release payload ".*ocp-release" could not be pulled from anywhere:/,
    remedy: /^Add a digest mirror that has the release payload/,
  },
  {
    code: "PayloadBlocked",
    input: { releaseImage, image: anImage({ blockedRegistries: ["quay.io"] }) },
    message:
      'error adding ["quay.io"] to blocked registries, cannot block the repository being used by the payload; the entry blocks nothing',
    remedy: /^Mirror quay\.io\/openshift-release-dev\/ocp-release with an ImageDigestMirrorSet/,
  },
  {
    code: "GuardFailedOpen",
    objects: [idms({ source: R, mirrors: ["m.lab"] })],
    input: { releaseImage, image: anImage({ blockedRegistries: ["quay.io"] }) },
    options: stored,
    message: /machine-config-operator blocks none of these registries, .*: rewriting reference: m\.lab@sha/,
    remedy: /until then nodes pull from these registries/,
  },
  {
    code: "InvalidReleaseImage",
    input: { clusterVersion: aClusterVersion("ocp"), image: anImage({}) },
    message: "error parsing reference of release image",
    remedy: /^Find out why .* \(host\/path@digest\)/,
  },
];

const scopes: readonly Case[] = [
  {
    code: "InvalidScope",
    input: { image: anImage({ blockedRegistries: ["*"] }) },
    message: 'invalid entry for blocked registries "*"',
    remedy: /^Use a wildcard only .*; a scope is/,
  },
  {
    code: "InvalidScope",
    input: { image: anImage({ insecureRegistries: ["http://a.io"] }) },
    message:
      'invalid entry for insecure registries "http://a.io": the container runtime refuses the whole file that it is rendered to',
    remedy: /^Remove the scheme; a scope is/,
  },
  {
    code: "InvalidScope",
    input: { image: anImage({ insecureRegistries: ["a.io/x:tag"] }) },
    message: 'invalid entry for insecure registries "a.io/x:tag": newer API servers refuse it',
    remedy: /^Remove the tag; a scope is/,
  },
];

const matching = (text: string | RegExp) => (typeof text === "string" ? text : expect.stringMatching(text));

describe.for([
  { about: "rules and their objects", cases: rules },
  { about: "the release payload", cases: payload },
  { about: "scopes of the Image configuration", cases: scopes },
])("issues about $about", ({ cases }) => {
  test.for(cases)(
    "When $code is reported, it should say $message and what to do",
    ({ code, objects = [], input = {}, options = {}, message, remedy }) => {
      const { issues } = configureMirrors({ objects, ...input }, options);
      expect(issues.filter((issue) => issue.code === code)).toContainEqual(
        expect.objectContaining({ message: matching(message), remedy: matching(remedy) }),
      );
    },
  );
});

test.for([
  { image: "ocp", value: "ocp" },
  { image: 1, value: 1 },
  { image: undefined, value: null },
])("When the ClusterVersion wants $image, it should report the value and its path", ({ image, value }) => {
  const input = { objects: [], clusterVersion: aClusterVersion(image), image: anImage({}) };
  expect(configureMirrors(input).issues).toMatchObject([
    { object: { kind: "ClusterVersion", name: "version" }, path: "status.desired.image", value },
  ]);
});

test("When the guard fails, it should list all scopes that are not blocked", () => {
  const input = {
    objects: [idms({ source: R, mirrors: ["m.lab"] })],
    releaseImage,
    image: anImage({ blockedRegistries: ["quay.io", "a.io"] }),
  };
  const [first] = configureMirrors(input, stored).issues;
  expect(first).toMatchObject({ code: "GuardFailedOpen", value: ["quay.io", "a.io"] });
});
