import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { fieldsOf, isRecord, isStringList, textOf } from "#shared/domain/kubernetes/json/values.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { policyTemplate } from "#shared/domain/mirrors/policies/policy-json.ts";
import { renderMachineConfig } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { namespaceOfPolicyPath, nodePaths } from "#shared/domain/openshift/machine-config/node-file.ts";
import { printable } from "#shared/domain/text/redact.ts";
import { type Oracle, startOracle } from "../../bench/peers/go-program.ts";
import { type Configuration, mirrorInput } from "../../bench/support/configuration.ts";
import { largeConfiguration } from "../../bench/support/large-configuration.ts";
import {
  agreeingConfigurations,
  contradictingConfigurations,
  guardedConfigurations,
  invalidConfigurations,
  signedConfigurations,
} from "../../bench/support/random-configurations.ts";

/*
 * machine-config-operator defines the bytes of registries.conf and policy.json, those of policies of namespaces, the scopes
 * in registries.d and the words of a refusal: it merges
 * with github.com/openshift/runtime-utils, resolves and writes with containers/image, and so does the peer. What the
 * operator does itself (its checks before the merge, its guard for the release image, the steps to policy.json) is
 * reimplemented in the peer in validate.go, guard.go, policy.go and signatures.go, since the operator is no importable module. Up to
 * release-4.18 it is built with other versions of these libraries (release-4.18.mod), and with a parser of Ignition that
 * reads 3.4.0 at most. What else its releases do differently stands in shared/domain/openshift/releases/machine-config-operator.ts.
 */

type Texts = Readonly<{
  conf: string;
  policy: string | undefined;
  /** The policies of namespaces, by namespace. */
  namespaces: Readonly<Record<string, string>>;
  /** The scopes in registries.d, in code unit order. */
  attachments: readonly string[];
}>;
type BuildResult = Texts | Readonly<{ error: string }>;

const families = [
  { name: "rules of one source agree", of: agreeingConfigurations, refused: true, runs: 1_500 },
  { name: "lists contradict each other", of: contradictingConfigurations, refused: false, runs: 1_000 },
  { name: "a release image must stay reachable", of: guardedConfigurations, refused: true, runs: 1_500 },
  { name: "values and policies are wrong", of: invalidConfigurations, refused: true, runs: 1_500 },
];

describe("registries.conf and policy.json against the Go peer", () => {
  let peer: Oracle;
  let older: Oracle;
  let ignition: Oracle;
  beforeAll(async () => {
    peer = await startOracle("render", ["-lines"]);
    older = await startOracle("render418", ["-lines"]);
    ignition = await startOracle("ignition");
  }, 600_000);
  afterAll(() => Promise.all([peer, older, ignition].map((oracle) => oracle[Symbol.asyncDispose]())));

  test.for(families)(
    "When $name, it should give the same bytes or the same refusal",
    async ({ of, refused, runs }) => {
      const seen = { conf: 0, error: 0 };
      await fc.assert(
        fc.asyncProperty(of(), async (configuration) => {
          const expected = await askPeer(peer, configuration);
          seen["conf" in expected ? "conf" : "error"]++;
          expect(withoutDetail(resultOf(configuration), expected)).toEqual(expected);
        }),
        { seed: 20260810, numRuns: runs },
      );
      // A family that is always refused, or never where it should be, would compare nothing.
      expect(seen.conf).toBeGreaterThan(runs / 10);
      expect(seen.error > runs / 100).toBe(refused);
    },
  );

  test.for([
    { release: "4.18", compactPolicy: false },
    { release: "4.16", compactPolicy: true },
  ])(
    "When the release is $release, it should give the same bytes or the same refusal as its libraries",
    async ({ release, compactPolicy }) => {
      const seen = { conf: 0, policy: 0, error: 0 };
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(agreeingConfigurations(), contradictingConfigurations(), guardedConfigurations()),
          async (configuration) => {
            const expected = await askPeer(older, { ...configuration, compactPolicy });
            seen["conf" in expected ? "conf" : "error"]++;
            if ("policy" in expected && expected.policy !== undefined) seen.policy++;
            expect(withoutDetail(resultOf(configuration, release), expected)).toEqual(expected);
          },
        ),
        { seed: 20261125, numRuns: 1_000 },
      );
      for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10);
    },
  );

  test.for([
    { release: undefined, apiVersion: "config.openshift.io/v1", namespaceIndent: "  " },
    { release: "4.18", apiVersion: "config.openshift.io/v1alpha1", namespaceIndent: " " },
  ])(
    "When there are image policies in $release, it should give the same files or the same refusal",
    async ({ release, apiVersion, namespaceIndent }) => {
      const seen = { conf: 0, cluster: 0, namespaces: 0, error: 0 };
      await fc.assert(
        fc.asyncProperty(signedConfigurations(apiVersion), async (configuration) => {
          const oracle = release === undefined ? peer : older;
          const expected = await askPeer(oracle, { ...configuration, namespaceIndent });
          seen["conf" in expected ? "conf" : "error"]++;
          if ("conf" in expected && configuration.clusterImagePolicies.length > 0) seen.cluster++;
          if ("conf" in expected && Object.keys(expected.namespaces).length > 0) seen.namespaces++;
          expect(withoutDetail(resultOf(configuration, release), expected)).toEqual(expected);
        }),
        { seed: 20261126, numRuns: 600 },
      );
      for (const times of Object.values(seen)) expect(times).toBeGreaterThan(50);
    },
  );

  test.for([
    { of: "4.18", options: {}, refusedBy: [] },
    { of: "4.20", options: {}, refusedBy: ["v3_4"] },
    { of: undefined, options: { writer: "hubrelay" }, refusedBy: [] },
  ] as const)(
    "When the MachineConfig of $of is rendered with $options, $refusedBy should refuse it",
    async ({ of, options, refusedBy }) => {
      const input = { ...mirrorInput(largeConfiguration(3)), ...(of ? { releaseVersion: of } : {}) };
      const { files, ignition: version } = configureMirrors(input, options);
      const { spec } = renderMachineConfig({ pool: "worker", files, ignition: version });
      const response = await ignition.ask(isRecord(spec) ? spec.config : undefined);
      const parsers = Object.entries(isRecord(response) ? response : {});
      expect(parsers).toHaveLength(2);
      expect(parsers.filter(([, error]) => error !== "").map(([parser]) => parser)).toEqual(refusedBy);
    },
  );

  test("When there are a thousand sources, it should give the same bytes", async () => {
    const configuration = largeConfiguration(1_000);
    expect(resultOf(configuration)).toEqual(await askPeer(peer, configuration));
  });
});

async function askPeer(
  peer: Oracle,
  configuration: Configuration & Readonly<{ compactPolicy?: boolean; namespaceIndent?: string }>,
): Promise<BuildResult> {
  const response = await peer.ask(configuration);
  if (typeof response !== "object" || response === null)
    throw new Error("the peer's response is not an object");
  if ("conf" in response && typeof response.conf === "string") {
    const { policy, namespaces, attachments } = fieldsOf(response);
    return {
      conf: response.conf,
      policy: textOf(policy),
      namespaces: Object.fromEntries(
        Object.entries(fieldsOf(namespaces)).map(([namespace, text]) => [namespace, String(text)]),
      ),
      attachments: isStringList(attachments) ? attachments : [],
    };
  }
  // What looks like a login (`//a@`) is in no message of hubrelay.
  if ("error" in response && typeof response.error === "string") return { error: printable(response.error) };
  throw new Error("the peer's response has neither conf nor error");
}

/** Without a version 5.1 is assumed, and the payload's own policy, which the peer does not get, is not added. */
function resultOf(configuration: Configuration, releaseVersion?: string): BuildResult {
  const input = { ...mirrorInput(configuration), ...(releaseVersion ? { releaseVersion } : {}) };
  const { refused, registriesConf, files, issues } = configureMirrors(input, { isStored: true });
  const textAt = (wanted: string) => files.find(({ path }) => path === wanted)?.contents;
  const policy = textAt(nodePaths.policy);
  const { docker } = fieldsOf(parse(textAt(nodePaths.sigstoreRegistries) ?? "{}"));
  if (!refused)
    return {
      conf: registriesConf,
      // The file of a node without configuration: the peer has it in another form.
      policy: policy === policyTemplate ? JSON.stringify(JSON.parse(policy)) : policy,
      namespaces: Object.fromEntries(
        files.flatMap(({ path, contents }) => {
          const namespace = namespaceOfPolicyPath(path);
          return namespace === undefined ? [] : [[namespace, contents]];
        }),
      ),
      attachments: Object.keys(fieldsOf(docker)).sort(),
    };
  const error = issues.find(({ severity }) => severity === "error");
  return { error: error?.message ?? "refused without an error" };
}

/** Our message may be longer than the peer's: the peer's whole message, a colon and details. */
function withoutDetail(ours: BuildResult, peers: BuildResult): BuildResult {
  const hasDetail = "error" in ours && "error" in peers && ours.error.startsWith(`${peers.error}: `);
  return hasDetail ? peers : ours;
}
