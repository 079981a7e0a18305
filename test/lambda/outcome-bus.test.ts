import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  CreateEventBusCommand,
  DescribeArchiveCommand,
  ListArchivesCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from "@aws-sdk/client-eventbridge";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { busRules, busSource, eventBusOutcomeTopic } from "#shared/adapters/eventbridge/event-bus.ts";
import { openOutcomes } from "#shared/adapters/open-outcomes.ts";
import { sqsQueue } from "#shared/adapters/sqs/sqs-queue.ts";
import { anOutcome, delivered, outcomes, outcomeTopicContract } from "../contract/outcome-topic.contract.ts";
import { freshQueue } from "../contract/outcome-topic.engines.ts";
import { type Moto, startMoto } from "./moto.ts";
import { allowedBy, at, named, packagedResources, templatePath } from "./template.ts";

outcomeTopicContract("EventBridge, played by moto", async () => {
  const { bridge, sqs, stop } = await startMoto();
  return {
    async open(subscriptions) {
      const bus = `contract-${randomUUID()}`;
      await bridge.send(new CreateEventBusCommand({ Name: bus }));
      const queues = subscriptions.map(async ({ types }, index) => {
        const { queue, arn } = await freshQueue(sqs);
        const rule = { Name: `rule-${index}`, EventBusName: bus };
        const pattern = { source: [busSource], ...(types ? { "detail-type": types } : {}) };
        await bridge.send(new PutRuleCommand({ ...rule, EventPattern: JSON.stringify(pattern) }));
        const target = { Rule: rule.Name, EventBusName: bus, Targets: [{ Id: "queue", Arn: arn }] };
        await bridge.send(new PutTargetsCommand(target));
        return queue;
      });
      return { topic: eventBusOutcomeTopic(bridge, bus), queues: await Promise.all(queues) };
    },
    missing: () => eventBusOutcomeTopic(bridge, "missing"),
    stop,
  };
});

describe("a stack with an event bus, deployed to moto", () => {
  let moto: Moto;
  let stack: Readonly<Record<string, string>>;
  beforeAll(async () => {
    moto = await startMoto();
    stack = await moto.deploy("hubrelay-dev", await readFile(templatePath, "utf8"), {
      Functions: "none",
      Outcomes: "both",
      OutcomeQueueTypes: "dev.hubrelay.mirror-config.refused,dev.hubrelay.precache.cluster-failed",
      OutcomeAccounts: "210987654321",
    });
  });
  afterAll(() => moto.stop());

  test("When outcomes are published, those of the chosen types should reach the queue, with source, type and resources", async () => {
    const environment = {
      ...moto.environment,
      HUBRELAY_OUTCOME_BUS: stack.OutcomeBusArn,
      HUBRELAY_OUTCOME_TOPIC_ARN: stack.OutcomeTopicArn,
    };
    for (const [name, value] of Object.entries(moto.environment)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    await openOutcomes(
      environment,
      () => moto.sqs,
      () => undefined,
    ).publish(outcomes(12));
    const queue = sqsQueue(moto.sqs, stack.OutcomesQueueUrl ?? "");
    const bodies = (await delivered(queue, 6)).map((body) => JSON.parse(body));
    const event = anOutcome(1);
    expect(bodies).toHaveLength(6);
    expect(bodies.find(({ detail }) => detail.id === event.id)).toMatchObject({
      source: "dev.hubrelay",
      "detail-type": event.type,
      resources: [event.source, event.subject],
      detail: event,
    });
  });

  test("When outcomes were published, the archive should have them all, for a replay", async () => {
    const { Archives = [] } = await moto.bridge.send(
      new ListArchivesCommand({ EventSourceArn: stack.OutcomeBusArn }),
    );
    const [{ ArchiveName } = {}] = Archives;
    const archive = await moto.bridge.send(new DescribeArchiveCommand({ ArchiveName }));
    expect(archive).toMatchObject({ RetentionDays: 30, EventCount: 12 });
  });

  test("When doctor asks for the bus, it should find its rules", async () => {
    // The archive has a rule of its own.
    expect(await busRules(moto.bridge, stack.OutcomeBusArn ?? "")).toBeGreaterThanOrEqual(1);
    await expect(busRules(moto.bridge, "missing")).rejects.toMatchObject({ code: "TopicMissing" });
  });
});

describe("the template", async () => {
  const without = await packagedResources(["InSecretsManager", "OnLambda"]);
  const onBus = ["InSecretsManager", "OnLambda", "OutcomesOnBus"];
  const all = await packagedResources([...onBus, "OutcomesForAccounts", "OutcomesInQueue"]);

  test("When outcomes go to SNS, there should be no bus and nothing that belongs to it", () => {
    for (const type of ["EventBus", "Rule", "Archive", "EventBusPolicy"]) {
      expect(without(`AWS::Events::${type}`), type).toEqual([]);
      expect(all(`AWS::Events::${type}`), type).toHaveLength(1);
    }
  });

  /** What functions may do with outcomes, and where they publish them. */
  const outcomesIn = (stack: typeof all) => {
    const policies = stack("AWS::IAM::ManagedPolicy").flatMap((one) => allowedBy(at(one, "PolicyDocument")));
    const environments = stack("AWS::Lambda::Function").map((one) => at(one, "Environment", "Variables"));
    const variables = environments.flatMap((environment) => Object.entries(Object(environment)));
    const targets = variables.flatMap(([name, value]) =>
      name.startsWith("HUBRELAY_OUTCOME_") && value !== "" ? [`${name}=${named(value)}`] : [],
    );
    const rights = policies.filter((line) => /^(?:sns|events):/.test(line));
    return { rights: [...new Set(rights)].sort(), targets: [...new Set(targets)].sort() };
  };

  test("When outcomes go to SNS, to the bus, or to both, functions should have only these targets and the rights on them", async () => {
    const sns = { right: "sns:Publish on OutcomeTopic", target: "HUBRELAY_OUTCOME_TOPIC_ARN=OutcomeTopic" };
    const bus = {
      right: "events:PutEvents on OutcomeBus.Arn",
      target: "HUBRELAY_OUTCOME_BUS=OutcomeBus.Arn",
    };
    expect(outcomesIn(without)).toEqual({ rights: [sns.right], targets: [sns.target] });
    const only = await packagedResources([...onBus, "OutcomesOnlyOnBus"]);
    expect(outcomesIn(only)).toEqual({ rights: [bus.right], targets: [bus.target] });
    expect(outcomesIn(all)).toEqual({ rights: [bus.right, sns.right], targets: [bus.target, sns.target] });
  });

  test("When functions put outcomes on the bus, all of a request should have their source: the key has several values", () => {
    const statements = all("AWS::IAM::ManagedPolicy")
      .flatMap((one) => Object(at(one, "PolicyDocument")).Statement)
      .filter(({ Action }) => Action === "events:PutEvents");
    expect(statements.length).toBeGreaterThan(5);
    for (const { Condition } of statements)
      expect(Condition).toEqual({
        "ForAllValues:StringEquals": { "events:source": busSource },
        Null: { "events:source": "false" },
      });
  });

  test("When other accounts may subscribe, each should manage only the rules that it created", () => {
    const [policy] = all("AWS::Events::EventBusPolicy");
    expect(policy && at(policy, "Statement")).toMatchObject({
      Principal: { AWS: { Ref: "OutcomeAccounts" } },
      Condition: { StringEqualsIfExists: { "events:creatorAccount": "$" + "{aws:PrincipalAccount}" } },
    });
  });

  test("When nobody reads the queue, there should be an alarm while its messages are still there", () => {
    const alarms = all("AWS::CloudWatch::Alarm").filter((alarm) =>
      JSON.stringify(at(alarm, "Dimensions") ?? []).includes('["OutcomesQueue","QueueName"]'),
    );
    expect(alarms.map((alarm) => at(alarm, "MetricName"))).toEqual(["ApproximateAgeOfOldestMessage"]);
    const [queue] = all("AWS::SQS::Queue").filter(({ id }) => id === "OutcomesQueue");
    const [alarm] = alarms;
    expect(Number(alarm && at(alarm, "Threshold"))).toBeLessThan(
      Number(queue && at(queue, "MessageRetentionPeriod")) / 2,
    );
  });

  test("When the rule can write neither to the queue nor to its dead letters, there should be an alarm: those are lost", () => {
    const [rule] = all("AWS::Events::Rule");
    const [alarm] = all("AWS::CloudWatch::Alarm").filter(
      (one) => at(one, "MetricName") === "InvocationsFailedToBeSentToDlq",
    );
    expect(alarm && at(alarm, "Namespace")).toBe("AWS/Events");
    // Without the name of the bus, the metric is of a rule on the default bus.
    expect(alarm && at(alarm, "Dimensions")).toEqual([
      { Name: "EventBusName", Value: { Ref: "OutcomeBus" } },
      { Name: "RuleName", Value: rule && at(rule, "Name") },
    ]);
  });

  test("When the rule delivers to the queue, only this rule should be allowed to, over TLS", () => {
    const [policy] = all("AWS::SQS::QueuePolicy").filter(({ id }) => id === "OutcomeQueuesPolicy");
    expect(policy && at(policy, "PolicyDocument")).toMatchObject({
      Statement: [
        { Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } },
        {
          Effect: "Allow",
          Principal: { Service: "events.amazonaws.com" },
          Condition: { ArnEquals: { "aws:SourceArn": { "Fn::GetAtt": ["OutcomeQueueRule", "Arn"] } } },
        },
      ],
    });
  });
});
