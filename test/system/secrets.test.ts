import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { queueUrlsAt } from "../support/processes/deployment.ts";
import { respondJson, respondStatus, scriptedApi } from "../support/servers/scripted-api.ts";
import { scriptedServer } from "../support/servers/scripted-server.ts";
import { temporaryFolder } from "../support/setup/temporary-folder.ts";
import { hubrelay } from "./cli-in-process.ts";

/** No pattern that a filter could know: where it appears, the program has leaked it. */
const planted = "plantedWAXQ7r2b9dLm";

type Variables = Readonly<Record<string, string>>;
/** A process whose settings, kubeconfig and servers contain the secret; `reports` is the expected message. */
type Case = Readonly<{
  name: string;
  prepare(folder: string): Promise<Variables>;
  reports: RegExp;
}>;

async function kubeConfig(folder: string, text: string | object): Promise<Variables> {
  const path = join(folder, "kubeconfig");
  await writeFile(path, typeof text === "string" ? text : JSON.stringify(text));
  return { HUBRELAY_HUB: `kubeconfig:${path}` };
}

const config = (
  server: string,
  user: object = { token: planted },
  { cluster = {}, context = "hub" }: Readonly<{ cluster?: object; context?: string }> = {},
) => ({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "hub", cluster: { server, "insecure-skip-tls-verify": true, ...cluster } }],
  users: [{ name: "somebody", user }],
  contexts: [{ name: "hub", context: { cluster: "hub", user: "somebody" } }],
  "current-context": context,
});

const nowhere = "http://127.0.0.1:9";
/** An API that has the same list for every kind. */
const apiWith = (...items: readonly object[]) =>
  scriptedApi((_call, response) =>
    respondJson(response, 200, { kind: "List", apiVersion: "v1", metadata: { resourceVersion: "1" }, items }),
  );
const acme = { metadata: { name: "acme", uid: "u", resourceVersion: "1" } };

const cases: readonly Case[] = [
  {
    name: "When a kubeconfig is not YAML, it should report the position, not the content",
    prepare: (folder) => kubeConfig(folder, `users:\n  - name: x\n    user: {token: ${planted}\n  : :\n`),
    reports: /kubeconfig .* is invalid/,
  },
  {
    name: "When a kubeconfig is a token, it should not quote it",
    prepare: (folder) => kubeConfig(folder, planted),
    reports: /kubeconfig's current context names no cluster/,
  },
  {
    name: "When a kubeconfig has no such context, it should not show its users",
    prepare: (folder) => kubeConfig(folder, config(nowhere, { token: planted }, { context: "other" })),
    reports: /context/,
  },
  {
    name: "When a kubeconfig's server would receive a token in plain text, it should refuse without quoting it",
    prepare: (folder) =>
      kubeConfig(
        folder,
        config(nowhere, { token: planted }, { cluster: { "insecure-skip-tls-verify": false } }),
      ),
    reports: /plain text/,
  },
  {
    name: "When a kubeconfig's server has a password in its URL, it should not show it",
    prepare: (folder) => kubeConfig(folder, config(`http://admin:${planted}@127.0.0.1:9`)),
    reports: /kubeconfig|127\.0\.0\.1/,
  },
  {
    name: "When a client key is damaged, it should not quote it",
    prepare: (folder) => {
      const data = Buffer.from(`-----BEGIN PRIVATE KEY-----\n${planted}\n-----END PRIVATE KEY-----`).toString(
        "base64",
      );
      const user = { "client-certificate-data": data, "client-key-data": data };
      return kubeConfig(folder, config("https://127.0.0.1:9", user));
    },
    reports: /list [A-Z]\w+: the hub/,
  },
  {
    name: "When a credential plugin prints a bare token, it should not quote its output",
    prepare: async (folder) => {
      const command = join(folder, "plugin");
      await writeFile(command, `#!/bin/sh\necho ${planted}\n`, { mode: 0o755 });
      const exec = { apiVersion: "client.authentication.k8s.io/v1", command, interactiveMode: "Never" };
      return kubeConfig(folder, config(nowhere, { exec }));
    },
    reports: /credentials cannot be read: the plugin's output/,
  },
  {
    name: "When a credential plugin fails, it should report only its first line, without a token",
    prepare: async (folder) => {
      const command = join(folder, "plugin");
      const complaint = `no session for token: ${planted}\\ntried ${planted}`;
      await writeFile(command, `#!/bin/sh\nprintf '${complaint}' >&2\necho ${planted}\nexit 3\n`, {
        mode: 0o755,
      });
      const exec = { apiVersion: "client.authentication.k8s.io/v1", command, interactiveMode: "Never" };
      return kubeConfig(folder, config(nowhere, { exec }));
    },
    reports: /credentials cannot be read: no session for token/,
  },
  {
    name: "When the hub refuses a token and repeats it, it should not repeat it again",
    prepare: async (folder) => {
      const { url } = await scriptedApi(({ headers }, response) =>
        respondStatus(response, 401, "Unauthorized", {
          message: `who is Authorization: ${headers.authorization}`,
        }),
      );
      return kubeConfig(folder, config(url));
    },
    reports: /list [A-Z]\w+: who is/,
  },
  {
    name: "When a server that is no API server echoes the request, it should report only that",
    prepare: async (folder) => {
      const { url } = await scriptedApi((call, response) =>
        response.writeHead(502, { "x-echo": planted }).end(JSON.stringify(call)),
      );
      return kubeConfig(folder, config(url));
    },
    reports: /\(502\) is not from a Kubernetes API/,
  },
  {
    name: "When a proxy with a password cannot be reached, it should not show the password",
    prepare: async (folder) => ({
      ...(await kubeConfig(folder, config("https://hub.invalid:6443"))),
      HTTPS_PROXY: `http://somebody:${planted}@127.0.0.1:9`,
      https_proxy: `http://somebody:${planted}@127.0.0.1:9`,
    }),
    reports: /hub cannot be reached/,
  },
  {
    name: "When a credential is given as the hub, it should report the expected value",
    prepare: async () => ({ HUBRELAY_HUB: planted }),
    reports: /HUBRELAY_HUB has no adapter/,
  },
  {
    name: "When the queues are not JSON, it should not quote them",
    prepare: async (folder) => ({
      ...(await kubeConfig(folder, config(nowhere))),
      HUBRELAY_QUEUE_URLS: `{"mirror-configs": "${planted}"`,
    }),
    reports: /HUBRELAY_QUEUE_URLS is not a JSON/,
  },
  {
    name: "When a credential is given as a queue, it should report the expected value",
    prepare: async (folder) => ({
      ...(await kubeConfig(folder, config((await apiWith()).url))),
      HUBRELAY_QUEUE_URLS: queueUrlsAt(planted).replaceAll(/"[^"]*0000[^"]*"/g, JSON.stringify(planted)),
    }),
    reports: /HUBRELAY_QUEUE_URLS has no URL/,
  },
  {
    name: "When the log level is a credential, it should report the expected value",
    prepare: async () => ({ HUBRELAY_LOG_LEVEL: planted }),
    reports: /HUBRELAY_LOG_LEVEL is not a log level/,
  },
  {
    name: "When the queue server quotes the signing credential, it should not quote it too",
    prepare: async (folder) => {
      const { url } = await apiWith(acme);
      const { endpoint } = await scriptedServer({
        status: 403,
        headers: { "content-type": "application/x-amz-json-1.0" },
        body: JSON.stringify({
          __type: "com.amazonaws.sqs#InvalidSignatureException",
          message: `The request was signed with secret access key=${planted}\nX-Amz-Security-Token:${planted}`,
        }),
      });
      return {
        ...(await kubeConfig(folder, config(url))),
        AWS_ENDPOINT_URL: endpoint,
        HUBRELAY_QUEUE_URLS: queueUrlsAt(endpoint),
      };
    },
    reports: /queue [a-z-]+: .*InvalidSignature/,
  },
];

const environment = {
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: planted,
  AWS_SESSION_TOKEN: planted,
  AWS_ENDPOINT_URL: nowhere,
  HUBRELAY_LOG_LEVEL: "debug",
  HUBRELAY_QUEUE_URLS: queueUrlsAt("http://127.0.0.1:9"),
  HUBRELAY_OUTCOME_QUEUE_URL: "http://127.0.0.1:9/000000000000/outcomes",
};

async function ownFolder(): Promise<string> {
  const folder = await temporaryFolder();
  return folder;
}

describe("a process with secrets", () => {
  test.for(cases)("$name", async ({ prepare, reports }) => {
    const variables = { ...environment, ...(await prepare(await ownFolder())) };
    const { stdout, stderr, exitCode } = await hubrelay(["resync"], { variables });
    const output = `${stdout}\n${stderr}`;
    expect(output).toMatch(reports);
    expect(output).not.toContain(planted);
    expect(output).not.toContain(Buffer.from(planted).toString("base64").slice(0, 20));
    expect(exitCode).toBe(2);
    const doctor = await hubrelay(["doctor", "-o", "json", "--account", "resync"], { variables });
    expect(doctor.stdout).toContain('"state": "problem"');
    expect(`${doctor.stdout}${doctor.stderr}`).not.toContain(planted);
  });

  test("When the hub's URL has a password, the events that name the hub should not contain it", async () => {
    const { url } = await apiWith(acme);
    const { endpoint, requests } = await scriptedServer({ status: 400, body: "{}" });
    const variables = {
      ...environment,
      ...(await kubeConfig(await ownFolder(), config(url.replace("//", `//admin:${planted}@`)))),
      AWS_ENDPOINT_URL: endpoint,
      HUBRELAY_QUEUE_URLS: queueUrlsAt(endpoint),
    };
    const { stdout, stderr } = await hubrelay(["resync"], { variables });
    expect(requests.join()).toMatch(/[a-z]+\/acme/);
    expect(requests.join()).not.toContain(planted);
    expect(`${stdout}${stderr}`).not.toContain(planted);
  });
});
