import { expect, test } from "vitest";
import type { Issue } from "../../issues/issue.ts";
import type { KubernetesObject } from "../../kubernetes/object.ts";
import { configureMirrors, type MirrorOptions } from "../configuration.ts";
import {
  anImage,
  anImageDigestMirrorSet,
  componentRepository,
  payloadRepository,
  releaseImage,
} from "../fixtures.ts";
import { aClusterImagePolicy, anImagePolicy } from "./fixtures.ts";

/* What the owner of a policy or of the Image configuration reads when the two contradict each other. */

type Case = Readonly<{
  name: string;
  objects?: readonly KubernetesObject[];
  lists?: Readonly<Record<string, readonly string[]>>;
  options?: MirrorOptions;
  reported: Partial<Issue>;
}>;

const stored = { isStored: true } as const;
const image = { kind: "Image", name: "cluster" };
const sources = "spec.registrySources";
const mirrored = anImageDigestMirrorSet("mirrored", [
  { source: payloadRepository, mirrors: ["m.lab/release"] },
]);
const notAllowed = `Add the scope to ${sources}.allowedRegistries of Image/cluster, or remove it here.`;
const blocked = `Remove the scope that contains it from ${sources}.blockedRegistries of Image/cluster, or remove it here.`;

const cases: readonly Case[] = [
  ...[{}, stored].flatMap((options): readonly Case[] => [
    {
      name: "a cluster's policy is for what is not allowed",
      objects: [aClusterImagePolicy("p", ["a.io"])],
      lists: { allowedRegistries: ["quay.io"] },
      options,
      reported: {
        code: "PolicyScopeNotAllowed",
        severity: "error",
        object: { kind: "ClusterImagePolicy", name: "p" },
        path: "spec.scopes[0]",
        value: "a.io",
        message: "clusterimagePolicy configured for the scope a.io is not nested inside allowedRegistries",
        remedy: notAllowed,
      },
    },
    {
      name: "a namespace's policy is for what is not allowed",
      objects: [anImagePolicy("ns", "p", ["a.io"])],
      lists: { allowedRegistries: ["quay.io"] },
      options,
      reported: {
        object: { kind: "ImagePolicy", namespace: "ns", name: "p" },
        message: "imagePolicy configured for the scope a.io is not nested inside allowedRegistries",
        remedy: notAllowed,
      },
    },
    {
      name: "a cluster's policy is for what is blocked",
      objects: [aClusterImagePolicy("p", ["a.io/x"])],
      lists: { blockedRegistries: ["a.io"] },
      options,
      reported: {
        code: "PolicyScopeBlocked",
        severity: "error",
        object: { kind: "ClusterImagePolicy", name: "p" },
        path: "spec.scopes[0]",
        value: "a.io/x",
        message: "clusterimagePolicy configured for the scope a.io/x is nested inside blockedRegistries",
        remedy: blocked,
      },
    },
    {
      name: "a namespace's policy is for what is blocked",
      objects: [anImagePolicy("ns", "p", ["a.io/x"])],
      lists: { blockedRegistries: ["a.io"] },
      options,
      reported: {
        message: "imagePolicy configured for the scope a.io/x is nested inside blockedRegistries",
        remedy: blocked,
      },
    },
    {
      name: "an allowed scope cannot be rendered",
      lists: { allowedRegistries: ["*.a.io/x"] },
      options,
      reported: {
        object: image,
        path: `${sources}.allowedRegistries[0]`,
        message: 'invalid entry for allowed registries "*.a.io/x"',
      },
    },
    {
      name: "some registries are allowed and others blocked",
      lists: { allowedRegistries: ["quay.io"], blockedRegistries: ["b.io"] },
      options,
      reported: {
        code: "AllowedAndBlocked",
        object: image,
        path: `${sources}.allowedRegistries`,
        value: ["quay.io"],
        message: "invalid images config: only one of AllowedRegistries or BlockedRegistries may be specified",
        remedy: `Remove ${sources}.allowedRegistries or ${sources}.blockedRegistries.`,
      },
    },
    {
      name: "a mirror of a policy's scope makes no valid reference",
      objects: [
        aClusterImagePolicy("first", ["b.io"]),
        aClusterImagePolicy("second", ["a.io/app"]),
        anImageDigestMirrorSet("mirrored", [{ source: "a.io/app", mirrors: ["m.lab"] }]),
      ],
      options,
      reported: {
        code: "PolicyScopeUnusable",
        object: { kind: "ClusterImagePolicy", name: "second" },
        path: "spec.scopes[0]",
        value: "a.io/app",
        message: `error adding clusterimagepolicy scope a.io/app relevant mirrors: m.lab@sha256:${"a".repeat(64)} is not a full image reference`,
        remedy:
          "Give the mirror of a.io/app a repository (host[:port]/path) and a full host name, or remove the scope.",
      },
    },
    {
      name: "a cluster's policy covers a namespace's",
      objects: [aClusterImagePolicy("p", ["a.io"]), anImagePolicy("ns", "q", ["a.io/x"])],
      options,
      reported: {
        code: "ConflictScopes",
        severity: "warning",
        object: { kind: "ImagePolicy", namespace: "ns", name: "q" },
        message:
          'has conflicting scope(s) ["a.io/x"] that equal to or nest inside existing clusterimagepolicy, only policy from clusterimagepolicy scope(s) will be applied',
        remedy: "Remove the scope here, or from the ClusterImagePolicy that covers it.",
      },
    },
  ]),
  {
    name: "machine-config-operator allows the payload once for each scope around it",
    objects: [mirrored],
    lists: { blockedRegistries: ["quay.io", "quay.io/openshift-release-dev"] },
    options: stored,
    reported: {
      code: "AllowedAndBlocked",
      object: image,
      path: `${sources}.blockedRegistries`,
      value: ["quay.io", "quay.io/openshift-release-dev"],
      remedy:
        "These scopes contain the release payload, which machine-config-operator allows once for each: block it by only one scope.",
    },
  },
  {
    name: "machine-config-operator cannot load the registries.conf beside a policy",
    objects: [aClusterImagePolicy("p", ["b.io"])],
    lists: { insecureRegistries: ["http://a.io"] },
    options: stored,
    reported: {
      code: "UnloadableRegistries",
      severity: "error",
      object: { kind: "Image", name: "cluster" },
      path: "spec.registrySources.insecureRegistries[0]",
      message: expect.stringMatching(/^loading registries configuration: ./),
      remedy: "Change the scope that the reason names; nodes could not load the file either.",
    },
  },
  {
    name: "machine-config-operator turns a block of the payload around",
    objects: [mirrored],
    lists: { blockedRegistries: [payloadRepository] },
    options: stored,
    reported: {
      code: "OnlyPayloadAllowed",
      severity: "warning",
      object: image,
      path: `${sources}.blockedRegistries[0]`,
      value: payloadRepository,
      message: `with exactly the repository of the release image blocked, the policy.json of machine-config-operator rejects every image but those of "${payloadRepository}", other images of the release too`,
      remedy: `Remove ${payloadRepository} from spec.registrySources.blockedRegistries of Image/cluster, and give its rules mirrorSourcePolicy NeverContactSource.`,
    },
  },
  {
    name: "the payload is not among what is allowed",
    lists: { allowedRegistries: ["a.io", "b.io"] },
    reported: {
      code: "PayloadNotAllowed",
      severity: "error",
      object: image,
      path: `${sources}.allowedRegistries`,
      value: ["a.io", "b.io"],
      message: `the release payload "${payloadRepository}", "${componentRepository}" is not in allowedRegistries: nodes would reject it, also from a mirror`,
      remedy: `Add ${payloadRepository} and ${componentRepository} or a scope around it to ${sources}.allowedRegistries.`,
    },
  },
  ...[
    {
      version: "v1alpha1",
      others: ", or name the release of the cluster if it is 4.19 or older: 5.1 is assumed",
    },
    { version: "v2", others: "" },
  ].map(
    ({ version, others }): Case => ({
      name: `a policy is written for ${version} of the API`,
      objects: [{ ...aClusterImagePolicy("p", ["a.io"]), apiVersion: `config.openshift.io/${version}` }],
      reported: {
        code: "WrongApiVersion",
        severity: "error",
        object: { kind: "ClusterImagePolicy", name: "p" },
        path: "apiVersion",
        value: `config.openshift.io/${version}`,
        message: `ClusterImagePolicy is not read as config.openshift.io/${version}`,
        remedy: `Write apiVersion: config.openshift.io/v1${others}.`,
      },
    }),
  ),
  {
    name: "machine-config-operator passes over a policy of another version",
    objects: [{ ...aClusterImagePolicy("p", ["a.io"]), apiVersion: "config.openshift.io/v1alpha1" }],
    options: stored,
    reported: { code: "WrongApiVersion", severity: "warning" },
  },
];

test.for(cases)(
  "When $name, it should be reported with a remedy",
  ({ objects = [], lists, options, reported }) => {
    const input = { objects, releaseImage, ...(lists ? { image: anImage(lists) } : {}) };
    const { issues } = configureMirrors(input, options);
    expect(issues).toContainEqual(expect.objectContaining(reported));
  },
);

test("When another project's policy has the same kind, it should be ignored", () => {
  const theirs = { ...aClusterImagePolicy("p", ["a.io"]), apiVersion: "config.example.com/v1" };
  expect(configureMirrors({ objects: [theirs] })).toMatchObject({ issues: [], files: [], refused: false });
});
