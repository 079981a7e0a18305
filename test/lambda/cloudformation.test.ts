import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { controllers } from "#functions/controllers.ts";
import { functionNames } from "../../infra/bundle/bundle.ts";
import { paths } from "../../infra/paths.ts";
import { finished } from "../../infra/run-program.ts";
import { installedPythonTool } from "../../infra/tool-folder.ts";
import {
  allowedBy,
  at,
  named,
  packagedOutputs,
  packagedResources,
  permissionsOf,
  type Resource,
  templatePath,
} from "./template.ts";

type Stack = Awaited<ReturnType<typeof packagedResources>>;

/** The conditions that hold when only a name is given. */
const byDefault = ["ForwarderMeasured", "Measured", "OnLambda"];
const resources = await packagedResources(byDefault);
const functions = resources("AWS::Lambda::Function");
const mappings = resources("AWS::Lambda::EventSourceMapping");
const queues = resources("AWS::SQS::Queue");

const queue = (arn: unknown): Resource => {
  const found = queues.find(({ id }) => `${id}.Arn` === named(arn));
  if (!found) throw new Error(`no queue has the ARN ${JSON.stringify(arn)}`);
  return found;
};
const sourceOf = (mapping: Resource) => queue(at(mapping, "EventSourceArn"));
const deadLettersOf = (source: Resource) => queue(at(source, "RedrivePolicy", "deadLetterTargetArn"));
/** The role of a function. */
const namedRole = (name: string, roles: readonly Resource[]): Resource => {
  const deployed = functions.find((one) => at(one, "FunctionName") === `hubrelay-dev-${name}`);
  const role = roles.find(({ id }) => `${id}.Arn` === named(deployed && at(deployed, "Role")));
  if (!role) throw new Error(`${name} has no role`);
  return role;
};
/** What a role may do, by its own policies and by those of the stack that are attached to it. */
function permissionsIn(stack: Stack, role: Resource): readonly string[] {
  const attached = [at(role, "ManagedPolicyArns") ?? []].flat().map(named);
  const shared = stack("AWS::IAM::ManagedPolicy").filter(({ id }) => attached.includes(id));
  const ofShared = shared.flatMap((policy) => allowedBy(at(policy, "PolicyDocument")));
  return [...permissionsOf(role), ...ofShared].sort();
}
const titled = (all: readonly Resource[]) => all.map((resource) => ({ title: resource.id, resource }));

describe("functions", () => {
  test("When a folder has a handler, it should be deployed from its own artefact", async () => {
    const artefacts = functions.map((deployed) =>
      named(at(deployed, "Code", "S3Key"))
        .split("/")
        .at(-1),
    );
    expect(artefacts.sort()).toEqual((await functionNames()).map((name) => `${name}.zip`));
  });
});

test("When a function fails as a whole or is throttled, there should be an alarm for it", () => {
  for (const one of functions)
    for (const metric of ["Errors", "Throttles"]) {
      const alarms = resources("AWS::CloudWatch::Alarm").filter(
        (alarm) =>
          at(alarm, "MetricName") === metric &&
          at(alarm, "Dimensions", 0, "Value") === at(one, "FunctionName"),
      );
      expect(alarms, `${metric} of ${one.id}`).toHaveLength(1);
    }
});

test("When the schedule never fires, the absence of invocations should raise an alarm", () => {
  const alarms = resources("AWS::CloudWatch::Alarm").filter(
    (alarm) => at(alarm, "MetricName") === "Invocations",
  );
  expect(alarms.map((alarm) => at(alarm, "Dimensions", 0, "Value"))).toEqual(["hubrelay-dev-resync"]);
  expect(alarms.map((alarm) => at(alarm, "TreatMissingData"))).toEqual(["breaching"]);
});

test("When a function has no messages, a schedule should still invoke it each day, with an empty batch", () => {
  const schedules = resources("AWS::Scheduler::Schedule").map((schedule) => [
    functions.find(({ id }) => `${id}.Arn` === named(at(schedule, "Target", "Arn")))?.properties.FunctionName,
    at(schedule, "ScheduleExpression"),
  ]);
  const expected = functions.map((one) => {
    const name = at(one, "FunctionName");
    return [name, name === "hubrelay-dev-resync" ? "rate(5 minutes)" : "rate(1 day)"];
  });
  expect(schedules.toSorted()).toEqual(expected.toSorted());
});

describe("what only the functions measure", () => {
  const alarmOn = (stack: Stack, metric: string) =>
    stack("AWS::CloudWatch::Alarm").find((alarm) => at(alarm, "MetricName") === metric)?.properties;

  test("When a forwarder is silent for 15 minutes, or nobody measures it, there should be an alarm", () => {
    expect(alarmOn(resources, "hubrelay_forward_silent_seconds")).toMatchObject({
      Namespace: "hubrelay",
      Dimensions: [{ Name: "hub", Value: "hub-dev" }],
      Threshold: 900,
      TreatMissingData: "breaching",
    });
    const tick = functions.find((one) => at(one, "FunctionName") === "hubrelay-dev-resync");
    expect(tick && at(tick, "Environment", "Variables")).toMatchObject({
      HUBRELAY_HUB_ID: "hub-dev",
      HUBRELAY_LEASE: "hubrelay/hubrelay-forwarder",
      HUBRELAY_METRICS: "emf",
    });
  });

  test("When another program sends the hub's changes, the tick should look for no heartbeat", async () => {
    const stack = await packagedResources([...byDefault, "NoForwarderLease"]);
    const [tick] = stack("AWS::Lambda::Function").filter(
      (one) => at(one, "FunctionName") === "hubrelay-dev-resync",
    );
    expect(tick && at(tick, "Environment", "Variables", "HUBRELAY_LEASE")).toBe("");
  });

  test.for([
    ["a login ends in less than 14 days", "login_remaining", "Minimum", 14 * 86_400, "LessThanThreshold"],
    [
      "a clock and the hub's differ by more than 60 s",
      "clock_difference",
      "Maximum",
      60,
      "GreaterThanThreshold",
    ],
  ] as const)("When $0, there should be one alarm for all functions", ([, metric, ...of]) => {
    const [Statistic, Threshold, ComparisonOperator] = of;
    const Dimensions = [{ Name: "hub", Value: "hub-dev" }];
    const expected = { Dimensions, Statistic, Threshold, ComparisonOperator };
    expect(alarmOn(resources, `hubrelay_${metric}_seconds`)).toMatchObject(expected);
  });

  test("When functions make no metrics, their absence should be no alarm", async () => {
    const unmeasured = await packagedResources(["OnLambda"]);
    expect(alarmOn(unmeasured, "hubrelay_forward_silent_seconds")).toBeUndefined();
    expect(alarmOn(unmeasured, "hubrelay_login_remaining_seconds")).toBeUndefined();
    expect(alarmOn(unmeasured, "hubrelay_clock_difference_seconds")).toBeUndefined();
  });
});

test("When the page of several hubs counts what a stack takes of an account's quotas, the numbers should be the stack's", async () => {
  const page = await readFile(join(paths.root, "docs/how-to/several-hubs.md"), "utf8");
  const batches = mappings.map((mapping) => Number(at(mapping, "ScalingConfig", "MaximumConcurrency")));
  const topics = resources("AWS::SNS::Topic").length;
  const alarms = resources("AWS::CloudWatch::Alarm").length;
  expect(page.replaceAll("\n", " ")).toContain(
    `each stack has ${functions.length} functions with ${batches.reduce((sum, one) => sum + one, 0)} batches at once, ${queues.length} queues, ${topics} topics and ${alarms} alarms.`,
  );
});

test("When subnets are given, every function should be in them, otherwise in no VPC", async () => {
  const inside = (await packagedResources([...byDefault, "InVpc"]))("AWS::Lambda::Function");
  const placed = inside.map((deployed) => at(deployed, "VpcConfig"));
  expect(placed).toEqual(
    functions.map(() => ({ SubnetIds: { Ref: "Subnets" }, SecurityGroupIds: { Ref: "SecurityGroups" } })),
  );
  expect(functions.map((deployed) => at(deployed, "VpcConfig"))).toEqual(functions.map(() => undefined));
});

test("When a function starts, it should find its own kubeconfig where it may read it, and no other", () => {
  const settings = functions.map((deployed) => [
    at(deployed, "FunctionName"),
    at(deployed, "Environment", "Variables", "HUBRELAY_HUB"),
  ]);
  for (const [name, hub] of settings)
    expect(hub).toBe(`secretsmanager:/hubrelay/dev/${String(name).replace("hubrelay-dev-", "")}`);
});

describe("event source mappings", () => {
  const cases = titled(mappings);

  test.for(cases)(
    "$title should report failures one by one and not lose messages to a filter",
    ({ resource }) => {
      expect(resource.properties).toMatchObject({
        FunctionResponseTypes: ["ReportBatchItemFailures"],
        ScalingConfig: { MaximumConcurrency: expect.any(Number) },
      });
      const name = String(at(sourceOf(resource), "QueueName")).replace(/^hubrelay-dev-/, "");
      const { batch } = controllers.find(({ queue: own }) => own === name) ?? {};
      expect(at(resource, "BatchSize")).toBe(batch?.size ?? 10);
      expect(at(resource, "MaximumBatchingWindowInSeconds")).toBe(batch?.windowSeconds ?? 1);
      expect(resource.properties).not.toHaveProperty("FilterCriteria"); // SQS deletes what a filter leaves out
    },
  );

  test.for(cases)("$title should hide a message for six timeouts and the batching window", ({ resource }) => {
    const target = functions.find(({ id }) => `${id}.Arn` === named(at(resource, "FunctionName")));
    const needed =
      6 * Number(target && at(target, "Timeout")) + Number(at(resource, "MaximumBatchingWindowInSeconds"));
    expect(at(sourceOf(resource), "VisibilityTimeout")).toBeGreaterThanOrEqual(needed);
  });

  test.for(cases)(
    "$title should keep its alarm while outcomes are retried, every 15 minutes at the end",
    ({ resource }) => {
      const target = functions.find(({ id }) => `${id}.Arn` === named(at(resource, "FunctionName")));
      const name = String(target && at(target, "FunctionName")).replace("hubrelay-", "");
      const [trouble] = resources("AWS::CloudWatch::Alarm").filter(
        (alarm) => at(alarm, "MetricName") === `${name}-trouble`,
      );
      const value = (field: string) => Number(trouble && at(trouble, field));
      const maxPause = (value("EvaluationPeriods") * value("Period")) / value("DatapointsToAlarm");
      expect(maxPause).toBeGreaterThan(900);
      // One attempt that fails is no alarm; a second is, before the message is a dead letter.
      expect(value("DatapointsToAlarm")).toBe(2);
    },
  );

  test.for(cases)("$title should move failed messages to a dead-letter queue of its own", ({ resource }) => {
    const source = sourceOf(resource);
    const dead = deadLettersOf(source);
    expect(at(source, "RedrivePolicy", "maxReceiveCount")).toBeGreaterThanOrEqual(5);
    expect(at(dead, "MessageRetentionPeriod")).toBeGreaterThan(Number(at(source, "MessageRetentionPeriod")));
    expect(at(dead, "RedriveAllowPolicy", "redrivePermission")).toBe("byQueue");
    const [allowed, ...others] = [at(dead, "RedriveAllowPolicy", "sourceQueueArns")].flat().map(named);
    expect(others).toEqual([]);
    expect(allowed?.split(":").at(-1)).toBe(at(source, "QueueName"));
  });

  test.for(cases)("$title should have alarms for dead letters and for waiting messages", ({ resource }) => {
    const source = sourceOf(resource);
    const watched = resources("AWS::CloudWatch::Alarm")
      .filter((alarm) => at(alarm, "Namespace") === "AWS/SQS")
      .map((alarm) => `${at(alarm, "MetricName")} of ${named(at(alarm, "Dimensions", 0, "Value"))}`);
    expect(watched).toContain(`ApproximateNumberOfMessagesVisible of ${deadLettersOf(source).id}.QueueName`);
    expect(watched).toContain(`ApproximateAgeOfOldestMessage of ${source.id}.QueueName`);
  });

  test.for(cases)(
    "$title should page for the age of a message before it is a dead letter",
    ({ resource }) => {
      const source = sourceOf(resource);
      const [age] = resources("AWS::CloudWatch::Alarm").filter(
        (alarm) =>
          at(alarm, "MetricName") === "ApproximateAgeOfOldestMessage" &&
          named(at(alarm, "Dimensions", 0, "Value")) === `${source.id}.QueueName`,
      );
      const value = (name: string) => Number(age && at(age, name));
      const pagesAfter = value("Threshold") + value("Period") * value("EvaluationPeriods");
      // SQS leaves a message out of the age after it was received for the fourth time.
      expect(pagesAfter).toBeLessThan(3 * Number(at(source, "VisibilityTimeout")));
      expect(Number(at(source, "RedrivePolicy", "maxReceiveCount"))).toBeGreaterThan(3);
    },
  );
});

test("When a queue is created, it should be encrypted at rest and refuse plain HTTP", () => {
  expect(queues.map((made) => at(made, "SqsManagedSseEnabled"))).toEqual(queues.map(() => true));
  const refusing = resources("AWS::SQS::QueuePolicy").flatMap((policy) => at(policy, "Queues"));
  expect(refusing.map(named).sort()).toEqual(queues.map(({ id }) => id).sort());
});

describe("roles", () => {
  const account = ":$" + "{AWS::Region}:$" + "{AWS::AccountId}:";
  const partition = "arn:$" + "{AWS::Partition}:";
  const writesLogOf = (name: string) =>
    ["CreateLogStream", "PutLogEvents"].map(
      (action) => `logs:${action} on ${partition}logs${account}log-group:/aws/lambda/hubrelay-dev-${name}:*`,
    );

  const readsSecretOf = (name: string) =>
    `secretsmanager:GetSecretValue on ${partition}secretsmanager${account}secret:/hubrelay/dev/${name}-??????`;

  const worksOn = (queueName: string) => [
    `sqs:ChangeMessageVisibility on ${queueName}Queue.Arn`,
    `sqs:DeleteMessage on ${queueName}Queue.Arn`,
    `sqs:GetQueueAttributes on ${queueName}Queue.Arn`,
    `sqs:ReceiveMessage on ${queueName}Queue.Arn`,
    `sqs:SendMessage on ${queueName}DeadLetters.Arn`,
    `sqs:SendMessage on ${queueName}Queue.Arn`,
  ];
  /** What a function may do, and to which other queue it sends. */
  const ofFunction = (name: string, queueName: string, sendsTo?: string) => [
    ...writesLogOf(name),
    readsSecretOf(name),
    "sns:Publish on OutcomeTopic",
    ...[...worksOn(queueName), ...(sendsTo ? [`sqs:SendMessage on ${sendsTo}Queue.Arn`] : [])].sort(),
  ];
  const expected: Readonly<Record<string, readonly string[]>> = {
    HostedClustersRole: ofFunction("hosted-clusters", "HostedClusters"),
    MirrorConfigRole: ofFunction("mirror-config", "MirrorConfigs"),
    PrecacheClusterRole: ofFunction("precache-cluster", "PrecacheClusters"),
    PrecachePlanRole: ofFunction("precache-plan", "PrecachePlans"),
    PrecacheReadyRole: ofFunction("precache-ready", "PrecacheReady"),
    PrecacheStatusRole: ofFunction("precache-status", "PrecacheFeedback", "PrecacheClusters"),
    MaintenanceWindowRole: ofFunction("maintenance-window", "MaintenanceWindows", "PrecacheFeedback"),
    ResyncRole: [
      ...writesLogOf("resync"),
      readsSecretOf("resync"),
      ...["sqs:GetQueueAttributes", "sqs:SendMessage"].flatMap((action) =>
        [
          "HostedClusters",
          "MaintenanceWindows",
          "MirrorConfigs",
          "PrecacheFeedback",
          "PrecachePlans",
          "PrecacheReady",
        ].map((queue) => `${action} on ${queue}Queue.Arn`),
      ),
    ],
    ScheduleRole: functions
      .map(
        (one) => `lambda:InvokeFunction on ${partition}lambda${account}function:${at(one, "FunctionName")}`,
      )
      .sort(),
  };

  test("When the stack is created, every role in it should have exactly the permissions it uses", () => {
    const roles = resources("AWS::IAM::Role");
    expect(Object.fromEntries(roles.map((role) => [role.id, permissionsIn(resources, role)]))).toEqual(
      expected,
    );
    expect(resources("AWS::IAM::Policy")).toEqual([]);
  });

  test("When kubeconfigs have a key of their own, each function should read its own", async () => {
    const roles = (await packagedResources(["HasOwnKey", "OnLambda"]))("AWS::IAM::Role");
    const names = (await functionNames()).map((name) => [name, namedRole(name, roles)] as const);
    for (const [name, role] of names) {
      const reading = permissionsOf(role).filter((line) => /^(?:kms|secretsmanager):/.test(line));
      expect(reading).toEqual([
        "kms:Decrypt on KubeConfigKey",
        `secretsmanager:GetSecretValue on ${partition}secretsmanager${account}secret:/hubrelay/dev/${name}-??????`,
      ]);
    }
  });

  test("When tracing and a VPC are enabled, functions should get the permissions that Lambda needs for it, otherwise none", async () => {
    const switchedOn = await packagedResources([...byDefault, "InVpc", "IsTraced"]);
    const always = resources("AWS::IAM::ManagedPolicy").map(({ id }) => id);
    const added = switchedOn("AWS::IAM::ManagedPolicy")
      .filter(({ id }) => !always.includes(id))
      .map((policy) => [policy.id, allowedBy(at(policy, "PolicyDocument"))] as const);
    expect(Object.fromEntries(added)).toEqual({
      TracingPolicy: ["xray:PutTelemetryRecords on *", "xray:PutTraceSegments on *"],
      VpcPolicy: expect.arrayContaining(["ec2:CreateNetworkInterface on *"]),
    });
    for (const name of await functionNames()) {
      const policies = at(namedRole(name, switchedOn("AWS::IAM::Role")), "ManagedPolicyArns");
      const attached = at(namedRole(name, resources("AWS::IAM::Role")), "ManagedPolicyArns");
      const own = [attached].flat().map(named);
      expect(own).toHaveLength(1);
      expect([policies].flat().map(named)).toEqual([...own, "VpcPolicy", "TracingPolicy"]);
    }
  });
});

describe("a stack for functions that run elsewhere", async () => {
  const elsewhere = await packagedResources(["Elsewhere"]);
  const inPods = await packagedResources(["Elsewhere", "HasOidcProvider", "InPods"]);

  test("When functions are none, the stack should have nothing that takes messages, runs or logs", () => {
    const onlyOnLambda = [
      "AWS::Lambda::Function",
      "AWS::Lambda::EventSourceMapping",
      "AWS::Lambda::EventInvokeConfig",
      "AWS::Scheduler::Schedule",
      "AWS::Logs::LogGroup",
      "AWS::Logs::MetricFilter",
      "AWS::IAM::Role",
    ];
    for (const type of onlyOnLambda) {
      expect(resources(type).length, type).toBeGreaterThan(0);
      expect(elsewhere(type), type).toEqual([]);
    }
  });

  test("When functions are none, the stack should keep queues, topics and the alarms of queues", () => {
    for (const type of ["AWS::SQS::Queue", "AWS::SQS::QueuePolicy", "AWS::SNS::Topic"])
      expect(elsewhere(type)).toEqual(resources(type));
    const ofQueues = resources("AWS::CloudWatch::Alarm").filter(
      (alarm) => at(alarm, "Namespace") === "AWS/SQS",
    );
    expect(elsewhere("AWS::CloudWatch::Alarm")).toEqual(ofQueues);
  });

  test("When a process runs elsewhere, its policy should be an output of the stack", async () => {
    const outputs = await packagedOutputs();
    for (const { id } of elsewhere("AWS::IAM::ManagedPolicy"))
      expect(outputs).toMatchObject({ [`${id}Arn`]: { Ref: id } });
  });

  const readsLengths = mappings
    .map((mapping) => `sqs:GetQueueAttributes on ${named(at(mapping, "EventSourceArn"))}`)
    .sort();

  test("When KEDA scales pods, a policy for its role should let it read the length of every queue, and do nothing else", () => {
    const policy = (stack: Stack) =>
      stack("AWS::IAM::ManagedPolicy").find(({ id }) => id === "ReadQueueLengthsPolicy");
    expect(allowedBy(policy(elsewhere)?.properties.PolicyDocument)).toEqual(readsLengths);
    expect(policy(resources)).toBeUndefined();
  });

  const accountOf = (role: Resource) =>
    named(at(role, "AssumeRolePolicyDocument")).match(
      /system:serviceaccount:hubrelay:hubrelay-([\w-]+)"/,
    )?.[1];

  test("When the hub's token issuer is given, each process should have a role for its own account, with the rights of its function on Lambda on queues and topic, and the forwarder read every length", async () => {
    const roles = new Map(inPods("AWS::IAM::Role").map((role) => [accountOf(role), role]));
    expect([...roles.keys()].sort()).toEqual(["forwarder", ...(await functionNames())].sort());
    for (const [name, role] of roles) {
      const same = namedRole(name === "forwarder" ? "resync" : (name ?? ""), resources("AWS::IAM::Role"));
      const ofLambda = permissionsIn(resources, same).filter((line) => /^(?:sqs|sns):/.test(line));
      const more = name === "forwarder" ? readsLengths : [];
      expect(permissionsIn(inPods, role), name).toEqual([...ofLambda, ...more].sort());
    }
  });

  test("When functions are on Lambda and the issuer is given, only the forwarder should have a role for its pod", async () => {
    const stack = await packagedResources([...byDefault, "HasOidcProvider"]);
    const added = stack("AWS::IAM::Role").filter(
      ({ id }) => !resources("AWS::IAM::Role").some((role) => role.id === id),
    );
    expect(added.map(accountOf)).toEqual(["forwarder"]);
  });
});

test("When AWS's resource schemas are checked, they should accept the template", {
  timeout: 300_000,
}, async () => {
  const bin = await installedPythonTool("cfn-lint", console.warn);
  // W3005: osls lists in DependsOn what a reference already implies.
  const args = ["--ignore-checks", "W3005", "--regions", "us-east-1", "eu-central-1", "--", templatePath];
  const { code, stdout, stderr } = await finished(`${bin}/cfn-lint`, args, { cwd: paths.root });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
});
