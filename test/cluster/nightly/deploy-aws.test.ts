import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { controllers } from "#functions/controllers.ts";
import { type KubernetesHub, kubernetesHub } from "#shared/adapters/hub/kubernetes/kubernetes-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";
import { readManifests } from "#shared/domain/manifests/manifests.ts";
import { readMachineConfigFiles } from "#shared/domain/openshift/machine-config/machine-config.ts";
import { paths } from "../../../infra/paths.ts";
import { type CommandResult, succeeded } from "../../../infra/run-program.ts";
import { asNew } from "../../support/hub/create-object.ts";
import { startCluster, type TestCluster } from "../support/clusters/cluster.ts";
import { createClusterVersion } from "../support/manifests/control-plane.ts";
import { hubCrds } from "../support/manifests/crds.ts";
import { kubectl } from "../support/programs/programs.ts";
import { type AwsAccount, startAwsAccount } from "../support/servers/aws.ts";
import { type Lambda, startLambda } from "../support/servers/lambda.ts";

/** Returns the commands of a page under a heading. */
async function commandsUnder(page: string, heading: string): Promise<readonly string[]> {
  const text = await readFile(join(paths.root, page), "utf8");
  const section = text.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = ""]) => commands);
}

const stack = z.object({ OutputKey: z.string(), OutputValue: z.string() });
const received = z.object({ Messages: z.array(z.object({ Body: z.string() })) });

describe("a deployment by the commands of docs/deploy-aws.md, on a real hub and an account that moto plays", () => {
  const cleanup = new AsyncDisposableStack();
  let server: TestCluster;
  let account: AwsAccount;
  let person: KubernetesHub;
  let lambda: Lambda;
  let outputs: ReadonlyMap<string, string> = new Map();

  /** Runs commands in the repository, as a reader who has kubectl and aws and is logged in to both. */
  async function run(commands: string): Promise<CommandResult> {
    const path = [join(server.folder, "bin"), account.bin, process.env.PATH].join(":");
    const env = {
      ...process.env,
      ...account.environment,
      PATH: path,
      KUBECONFIG: server.admin.kubeConfigFile,
      // moto has made the stack when it responds; osls asks every five seconds otherwise.
      SLS_AWS_MONITORING_FREQUENCY: "200",
    };
    return succeeded("bash", ["-eo", "pipefail", "-c", commands], { cwd: paths.root, env });
  }

  beforeAll(async () => {
    // A hub that hubrelay was never on: the page's commands bring its kinds.
    const crds = (await hubCrds()).filter(({ group }) => group !== "hubrelay.dev");
    server = await startCluster({ crds, controllers: true });
    cleanup.defer(() => server.stop());
    await mkdir(join(server.folder, "bin"));
    await symlink(await kubectl(console.log), join(server.folder, "bin/kubectl"));
    account = await startAwsAccount();
    cleanup.defer(() => account.stop());
    person = kubernetesHub(server.admin.kubeConfig, { userAgent: "person" });
    cleanup.defer(() => person.close());
  });
  afterAll(() => cleanup.disposeAsync());

  test("When the stack is deployed, it should be complete, with an output for whatever a person needs next", {
    timeout: 300_000,
  }, async () => {
    const [deploy = ""] = await commandsUnder("docs/deploy-aws.md", "Deploy");
    expect(deploy).toContain("npm run deploy -- --stage prod");
    // This checkout is installed: its packages are those that run this test.
    const { stderr } = await run(deploy.replace(/^npm ci\n/m, ""));
    expect(stderr).toContain("Service deployed to stack hubrelay-prod");
    const query = ["--stack-name", "hubrelay-prod", "--query", "Stacks[0].Outputs"];
    const found = z.array(stack).parse(await account.aws("cloudformation", "describe-stacks", ...query));
    outputs = new Map(found.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
    for (const name of [
      "OutcomeTopicArn",
      "AlarmTopicArn",
      "MirrorConfigsQueueUrl",
      "SendReferencesPolicyArn",
    ])
      expect(outputs.get(name), name).toContain("hubrelay-prod");
  });

  test("When the hub is prepared, each function should have a kubeconfig, and doctor find no problem", {
    timeout: 300_000,
  }, async () => {
    const [prepare = ""] = await commandsUnder("docs/deploy-aws.md", "The hub");
    const { stdout } = await run(prepare);
    expect(stdout).toContain("No problem was found.");
    const [rotate = ""] = await commandsUnder(
      "docs/how-to/rotate-credentials.md",
      "The functions' tokens on AWS",
    );
    for (const { stdout: users } of [await run(rotate), await run(rotate)])
      expect(users).toContain("system:serviceaccount:hubrelay:hubrelay-mirror-config");
    const { SecretList } = z
      .object({ SecretList: z.array(z.object({ Name: z.string() })) })
      .parse(await account.aws("secretsmanager", "list-secrets"));
    lambda = await startLambda(account, "hubrelay-prod", server.folder);
    cleanup.use(lambda);
    const names = ["hosted-clusters", "maintenance-window", "mirror-config"];
    const precaching = ["precache-cluster", "precache-plan", "precache-ready", "precache-status"];
    expect(SecretList.map(({ Name }) => Name).sort()).toEqual(
      [...names, ...precaching, "resync"].map((name) => `/hubrelay/prod/${name}`),
    );
  });

  test("When a mirror set is created and the tick comes, its MachineConfig should be written and a subscriber should know", async () => {
    const { QueueUrl } = z
      .object({ QueueUrl: z.string() })
      .parse(await account.aws("sqs", "create-queue", "--queue-name", "subscriber"));
    const arn = "arn:aws:sqs:eu-central-1:123456789012:subscriber";
    const topic = outputs.get("OutcomeTopicArn") ?? "";
    const subscriber = ["--topic-arn", topic, "--protocol", "sqs", "--notification-endpoint", arn];
    await account.aws("sns", "subscribe", ...subscriber);
    const text = await readFile(join(paths.root, "examples/hub/cluster.yaml"), "utf8");
    for (const { object } of readManifests(text, "cluster.yaml").objects)
      if (object.kind === kinds.MachineConfigPool.kind || object.kind === kinds.Image.kind)
        await person.create(asNew(object));
    await createClusterVersion(person);
    const { apiVersion, kind } = kinds.ImageDigestMirrorSet;
    const imageDigestMirrors = [{ source: "quay.io/acme", mirrors: ["mirror.example.com/acme"] }];
    await person.create({ apiVersion, kind, metadata: { name: "acme" }, spec: { imageDigestMirrors } });

    expect(await lambda.invoke("resync", { tick: "resync" })).toMatchObject({ messages: expect.any(Number) });
    await lambda.drainQueues();

    const written = await person.get(kinds.MachineConfig, "99-worker-generated-registries");
    const files = written ? readMachineConfigFiles(written).map(({ contents }) => contents) : [];
    expect(files.join("\n"), await lambda.logOf("mirror-config")).toContain("mirror.example.com/acme");
    const { Messages } = received.parse(
      await account.aws("sqs", "receive-message", "--queue-url", QueueUrl, "--max-number-of-messages", "10"),
    );
    expect(Messages.map(({ Body }) => Body).join("\n")).toContain("dev.hubrelay.mirror-config.rendered");
  });

  test.for([
    { what: "updated in place", options: "--param logLevel=debug" },
    { what: "rolled back", options: "" },
  ])(
    "When the stack is $what while messages wait, no change should be lost",
    {
      timeout: 300_000,
    },
    async ({ what, options }) => {
      const mirror = `mirror.example.com/${what.replaceAll(" ", "-")}`;
      const set = await person.get(kinds.ImageDigestMirrorSet, "acme");
      if (!set) throw new Error("the mirror set is gone");
      const imageDigestMirrors = [{ source: "quay.io/acme", mirrors: [mirror] }];
      await person.update({ ...set, spec: { imageDigestMirrors } });
      await lambda.invoke("resync", { tick: "resync" });
      await lambda[Symbol.asyncDispose]();

      const [deploy = ""] = await commandsUnder("docs/deploy-aws.md", "Deploy");
      const { stderr } = await run(
        deploy
          .replace(/^npm ci\n/m, "")
          .trimEnd()
          .concat(" ", options),
      );
      expect(stderr).toContain("Service deployed to stack hubrelay-prod");
      const folder = join(server.folder, what);
      await mkdir(folder);
      lambda = cleanup.use(await startLambda(account, "hubrelay-prod", folder));
      await lambda.drainQueues();

      const written = await person.get(kinds.MachineConfig, "99-worker-generated-registries");
      const files = written ? readMachineConfigFiles(written).map(({ contents }) => contents) : [];
      expect(files.join("\n"), await lambda.logOf("mirror-config")).toContain(mirror);
    },
  );

  test("When everything was handled, no queue should hold a dead letter", async () => {
    const deadLetters = [...outputs].filter(([name]) => name.endsWith("DeadLettersUrl"));
    const queues = [...outputs.keys()].filter((name) => /(?<!DeadLetters)QueueUrl$/.test(name));
    expect(deadLetters).toHaveLength(queues.length);
    for (const [name, url] of deadLetters) {
      const attribute = ["--attribute-names", "ApproximateNumberOfMessages"];
      const { Attributes } = z
        .object({ Attributes: z.record(z.string(), z.string()) })
        .parse(await account.aws("sqs", "get-queue-attributes", "--queue-url", url, ...attribute));
      expect(Attributes.ApproximateNumberOfMessages, name).toBe("0");
    }
  });

  test("When an alarm goes off, the page's commands should check every queue of the stack, and list its dead letters", {
    timeout: 120_000,
  }, async () => {
    const [check = ""] = await commandsUnder("docs/deploy-aws.md", "When an alarm goes off");
    // The SDK takes the server of a queue from its URL.
    const inMoto = check.replace(
      "$(output QueueUrls)",
      `$(output QueueUrls | sed s,https://sqs.eu-central-1.amazonaws.com,${account.endpoint},g)`,
    );
    const { stdout } = await run(inMoto);
    for (const { queue } of controllers) {
      expect(stdout).toMatch(new RegExp(`queue ${queue} +ok`));
      expect(stdout).toContain(`${queue} has no dead letters.`);
    }
    expect(stdout).toMatch(/outcomes +ok +The topic .*hubrelay-prod-outcomes exists/);
  });

  test("When the stack is removed, only hubrelay's kinds should stay on the hub, and nothing of it in the account", {
    timeout: 300_000,
  }, async () => {
    const [remove = ""] = await commandsUnder("docs/deploy-aws.md", "Remove");
    const { stdout, stderr } = await run(remove);
    expect(stdout).toContain('namespace "hubrelay" deleted');
    expect(stderr).toContain("has been successfully removed");
    const left = [
      await account.aws("cloudformation", "list-stacks", "--stack-status-filter", "UPDATE_COMPLETE"),
      await account.aws("sqs", "list-queues", "--queue-name-prefix", "hubrelay-"),
      await account.aws("lambda", "list-functions"),
      await account.aws("logs", "describe-log-groups", "--log-group-name-prefix", "/aws/lambda/hubrelay-"),
      await account.aws("s3api", "list-buckets"),
      await account.aws("secretsmanager", "list-secrets"),
    ];
    expect(JSON.stringify(left)).not.toContain("hubrelay");
  });
});
