import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodePaths } from "#shared/domain/machine-config/node-file.ts";
import { configureMirrors } from "#shared/domain/mirrors/configuration.ts";
import { type Oracle, startOracle } from "../../bench/peers/go-program.ts";
import { type Configuration, mirrorInput } from "../../bench/support/configuration.ts";
import { largeConfiguration } from "../../bench/support/large-configuration.ts";
import {
  agreeingConfigurations,
  contradictingConfigurations,
  guardedConfigurations,
  invalidConfigurations,
} from "../../bench/support/random-configurations.ts";

/*
 * machine-config-operator defines the bytes of registries.conf and policy.json and the words of a refusal: it merges
 * with github.com/openshift/runtime-utils, resolves and writes with containers/image, and so does the peer. What the
 * operator does itself (its checks before the merge, its guard for the release image, the steps to policy.json) is
 * reimplemented in the peer in validate.go, guard.go and policy.go, since the operator is no importable module.
 */

type BuildResult = Readonly<{ conf: string; policy: string | undefined }> | Readonly<{ error: string }>;

const families = [
  { name: "rules of one source agree", of: agreeingConfigurations, refused: true, runs: 1_500 },
  { name: "lists contradict each other", of: contradictingConfigurations, refused: false, runs: 1_000 },
  { name: "a release image must stay reachable", of: guardedConfigurations, refused: true, runs: 1_500 },
  { name: "values and policies are wrong", of: invalidConfigurations, refused: true, runs: 1_500 },
];

describe("registries.conf and policy.json against the Go peer", () => {
  let peer: Oracle;
  beforeAll(async () => {
    peer = await startOracle("render", ["-lines"]);
  }, 300_000);
  afterAll(() => peer[Symbol.asyncDispose]());

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

  test("When there are a thousand sources, it should give the same bytes", async () => {
    const configuration = largeConfiguration(1_000);
    expect(resultOf(configuration)).toEqual(await askPeer(peer, configuration));
  });
});

async function askPeer(peer: Oracle, configuration: Configuration): Promise<BuildResult> {
  const response = await peer.ask(configuration);
  if (typeof response !== "object" || response === null)
    throw new Error("the peer's response is not an object");
  if ("conf" in response && typeof response.conf === "string") {
    const policy = "policy" in response ? response.policy : undefined;
    return { conf: response.conf, policy: typeof policy === "string" ? policy : undefined };
  }
  if ("error" in response && typeof response.error === "string") return { error: response.error };
  throw new Error("the peer's response has neither conf nor error");
}

function resultOf(configuration: Configuration): BuildResult {
  const input = mirrorInput(configuration);
  const { refused, registriesConf, files, issues } = configureMirrors(input, { compat: "mco" });
  const policy = files.find(({ path }) => path === nodePaths.policy)?.contents;
  if (!refused) return { conf: registriesConf, policy };
  const error = issues.find(({ severity }) => severity === "error");
  return { error: error?.message ?? "refused without an error" };
}

/** Our message may be longer than the peer's: the peer's whole message, a colon and details. */
function withoutDetail(ours: BuildResult, peers: BuildResult): BuildResult {
  const hasDetail = "error" in ours && "error" in peers && ours.error.startsWith(`${peers.error}: `);
  return hasDetail ? peers : ours;
}
