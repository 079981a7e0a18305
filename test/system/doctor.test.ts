import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { neededKinds } from "../../cli/commands/doctor/checks/kind-rows.ts";
import { aDeployment } from "../support/processes/deployment.ts";
import { kubeConfigFor } from "../support/servers/scripted-api.ts";
import { scriptedHubApi } from "../support/servers/scripted-hub-api.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import type { CommandResult } from "./cli.ts";
import { hubrelay } from "./cli-in-process.ts";

type States = Readonly<Record<string, string>>;

/** Returns the state of each check by its name. */
function statesOf({ stdout }: CommandResult): States {
  const { checks }: { checks: { name: string; state: string }[] } = JSON.parse(stdout);
  return Object.fromEntries(checks.map(({ name, state }) => [name, state]));
}

/** Everything that the functions read, as a hub serves it. */
const served = Object.fromEntries(
  [
    ...Map.groupBy(
      neededKinds.flatMap(({ kinds, besides }) => [...kinds, ...besides]),
      ({ apiVersion }) => apiVersion,
    ),
  ].map(([apiVersion, kinds]) => [apiVersion, kinds.map(({ plural }) => plural)]),
);

/** A kubeconfig with a token for a hub at this address. */
async function aKubeConfig(url: string, token = "one"): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "kubeconfig"), kubeConfigFor(url, { token }).exportConfig());
  return join(folder, "kubeconfig");
}

const onHub = async (url: string, args: readonly string[] = [], token?: string) =>
  hubrelay(["doctor", "-o", "json", ...args], { variables: { KUBECONFIG: await aKubeConfig(url, token) } });

describe("hubrelay doctor on queues and topic", () => {
  const right = { maxReceiveCount: 10, visibilityTimeoutSeconds: 190 };

  test("When everything is in order, it should report that and exit with 0", async () => {
    const { environment } = await aDeployment([], right);
    const { stdout, stderr, exitCode } = await hubrelay(["doctor"], { variables: environment });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(/^hub +ok +The folder .* serves as the hub/m);
    expect(stdout).toMatch(/^queue mirror-configs +ok +mirror-configs, dead letters after 10 receives in/m);
    expect(stdout).toMatch(/^outcomes +ok +The topic .* exists, with 0 subscribers\.$/m);
    expect(stdout).toMatch(/^No problem was found\.$/m);
  });

  test("When a queue and the topic do not exist, it should report each, and the remedy", async () => {
    const { environment, messaging } = await aDeployment([], right);
    const variables = {
      ...environment,
      HUBRELAY_QUEUE_URLS: JSON.stringify({ "mirror-configs": `${messaging.endpoint}/000000000000/other` }),
      HUBRELAY_OUTCOME_TOPIC_ARN: "arn:aws:sns:us-east-1:000000000000:other",
    };
    const result = await hubrelay(["doctor", "-o", "json"], { variables });
    expect(result.exitCode).toBe(1);
    expect(statesOf(result)).toMatchObject({ "queue mirror-configs": "problem", outcomes: "problem" });
    expect(result.stdout).toContain("Create the queue, or correct its URL in HUBRELAY_QUEUE_URLS.");
  });

  test("When subscribers want a type that no outcome has, or do not respond, it should say which", async () => {
    const { environment, messaging } = await aDeployment([], right);
    const { url } = messaging.queue("mirror-configs");
    const types = ["dev.hubrelay.precache.*", "dev.hubrelay.precach.*", "precache.finished"];
    const variables = {
      ...environment,
      HUBRELAY_OUTCOME_SINKS: JSON.stringify({
        tickets: { url, types },
        up: { url },
        down: { url: "http://127.0.0.1:9/" },
      }),
    };
    const result = await hubrelay(["doctor", "-o", "json"], { variables });
    expect(statesOf(result)).toMatchObject({
      "outcomes for tickets": "note",
      "outcomes for up": "ok",
      "outcomes for down": "problem",
    });
    expect(result.stdout).toContain("No outcome has the type dev.hubrelay.precach.*, precache.finished.");
  });
});

describe("hubrelay doctor on a hub", () => {
  test("When the hub allows everything, it should be fine, and settings that are missing here only be noted", async () => {
    const api = await scriptedHubApi({ served });
    const result = await onHub(api.url);
    expect(result).toMatchObject({ stderr: "", exitCode: 0 });
    expect(statesOf(result)).toMatchObject({
      hub: "ok",
      clock: "ok",
      "kinds of mirror-config": "ok",
      "access of forwarder": "ok",
      "access of mirror-config": "ok",
      "access of resync": "ok",
      // Kinds that no cluster has reported or created yet.
      release: "note",
      lease: "note",
      queues: "note",
      outcomes: "note",
    });
    expect(result.stdout).toContain("Kubernetes v1.33.2, as jo.");
  });

  test("When the token is refused, it should say how to get another, and not quote it", async () => {
    const api = await scriptedHubApi({ served, token: "another" });
    const result = await onHub(api.url, [], "hush-hush");
    expect(result.exitCode).toBe(1);
    expect(statesOf(result)).toMatchObject({ hub: "problem" });
    expect(result.stdout).toContain("log in again");
    expect(result.stdout).not.toContain("hush-hush");
  });
});
