import { existsSync } from "node:fs";
import { join } from "node:path";
import { controllers } from "#functions/controllers.ts";
import { awsConnection } from "#shared/adapters/aws/aws-connection.ts";
import { sinkStatus } from "#shared/adapters/http-sink/http-sink.ts";
import type { Environment } from "#shared/adapters/settings/environment.ts";
import { outcomeSinks } from "#shared/adapters/settings/outcome-settings.ts";
import { queueUrls } from "#shared/adapters/settings/queue-urls.ts";
import { snsClient, topicSubscribers } from "#shared/adapters/sns/sns-outcome-topic.ts";
import { type QueueSettings, queueSettings } from "#shared/adapters/sqs/queue-settings.ts";
import { sqsClient } from "#shared/adapters/sqs/sqs-queue.ts";
import { outcomeTypes } from "#shared/domain/plan/outcome-event.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { defaultTimeoutSeconds } from "#shared/runtime/controller.ts";
import { isWanted } from "#shared/runtime/topics/several-topics.ts";
import {
  correctVariable,
  note,
  ok,
  problem,
  type ReadFailure,
  type Row,
  row,
  stated,
  type Table,
  type Verdict,
} from "./check.ts";

/** AWS's minimum ratio of visibility timeout to batch timeout: no message is received again while it is handled. */
const minVisibilityFactor = 6;
/** With fewer receives, valid messages become dead letters when the hub is down for some minutes. */
const minReceives = 5;
/** A person needs this time to rotate the credentials of every function. */
const soonDays = 14;
/** The variable with a folder from which ICU, Node's library for time zones, reads newer data. */
const zonesVariable = "ICU_TIMEZONE_FILES_DIR";
const dayMs = 24 * 60 * 60 * 1000;

/** Reports the version and the source of the time zone data. `version` is `process.versions.tz`. */
export function timeZoneVerdict(environment: Environment, version: string | undefined): Verdict {
  const folder = environment[zonesVariable];
  const file = folder && join(folder, "zoneinfo64.res");
  const source = file && existsSync(file) ? file : "Node.js";
  return version
    ? ok(`Time zone data ${version}, from ${source}.`)
    : problem(
        `${source} has no time zone data that can be read: every time zone is unknown, and every window stays closed.`,
        `Replace the files in ${folder}, or unset ${zonesVariable}.`,
      );
}

/** Judges how long a login is valid after `now`. `whose` begins the message, such as "The kubeconfig's login". */
export function loginVerdict(whose: string, end: Date, now: Date): Verdict {
  const until = `until ${end.toISOString().slice(0, 10)}`;
  const remedy = "docs/how-to/rotate-credentials.md.";
  if (end <= now) return problem(`${whose} was valid ${until}.`, `Replace it: ${remedy}`);
  const days = Math.floor((end.getTime() - now.getTime()) / dayMs);
  const found = `${whose} is valid for ${counted(days, "more day")}, ${until}.`;
  return days >= soonDays ? ok(found) : note(found, `Replace it before: ${remedy}`);
}

/** Judges the settings of a queue whose function has this batch timeout. Reports only the most serious problem. */
export function queueVerdict(batchTimeoutSeconds: number, queue: QueueSettings): Verdict {
  const minVisibilitySeconds = minVisibilityFactor * batchTimeoutSeconds;
  const { name, redrive, visibilityTimeoutSeconds } = queue;
  if (!redrive)
    return problem(
      `${name} has no dead-letter queue: failed messages are retried until they expire.`,
      "Give it a redrive policy that names a queue of its own, with a maxReceiveCount of 10.",
    );
  if (redrive.maxReceiveCount < minReceives)
    return note(
      `${name} gives up after ${redrive.maxReceiveCount} receives.`,
      "Set maxReceiveCount to 10: a hub that is down for some minutes must not cause dead letters.",
    );
  return visibilityTimeoutSeconds < minVisibilitySeconds
    ? note(
        `${name} shows a message again after ${visibilityTimeoutSeconds} s, perhaps while it is handled.`,
        `Set its visibility timeout to at least ${minVisibilitySeconds} s.`,
      )
    : ok(`${name}, dead letters after ${redrive.maxReceiveCount} receives in ${redrive.deadLetters}.`);
}

const queueFix = ({ code }: ReadFailure): string => {
  if (code === "InvalidEnvironment") return correctVariable();
  return code === "QueueMissing"
    ? "Create the queue, or correct its URL in HUBRELAY_QUEUE_URLS."
    : "Check that its server can be reached from here, and that AWS_REGION, AWS_ENDPOINT_URL and the credentials with sqs:GetQueueAttributes are correct.";
};

function queueRows(environment: Environment): readonly Row[] {
  if (!environment.HUBRELAY_QUEUE_URLS) {
    const remedy = "Set it as in the deployment; see docs/reference/environment.md.";
    return [stated("queues", note("HUBRELAY_QUEUE_URLS is not set: queues were not checked.", remedy))];
  }
  const urls = queueUrls(environment);
  const sqs = sqsClient(awsConnection(environment));
  return controllers.map(({ queue: name, timeoutSeconds = defaultTimeoutSeconds }) =>
    row({
      name: `queue ${name}`,
      read: () => queueSettings(sqs, urls.of(name)),
      judge: (queue) => queueVerdict(timeoutSeconds, queue),
      fix: queueFix,
    }),
  );
}

const outcomesFix = (need: string) => (error: ReadFailure) =>
  error.code === "InvalidEnvironment"
    ? correctVariable()
    : `Create it, or correct the variable; this check needs ${need}.`;

function targetVerdict(found: string, types: readonly string[] = []): Verdict {
  const unknown = types.filter((wanted) => !outcomeTypes.some(({ type }) => isWanted([wanted], type)));
  if (unknown.length === 0) return ok(found);
  return note(
    `${found} No outcome has the type ${unknown.join(", ")}.`,
    "Correct its types: docs/reference/events.md lists them.",
  );
}

const topicRow = (
  environment: Environment,
  name: string,
  topicArn: string,
  judge: (subscribers: number) => Verdict,
): Row =>
  row({
    name,
    read: () => topicSubscribers(snsClient(awsConnection(environment)), topicArn),
    judge,
    fix: outcomesFix("sns:GetTopicAttributes"),
  });

function topicRows(environment: Environment): readonly Row[] {
  const { HUBRELAY_OUTCOME_TOPIC_ARN: topicArn } = environment;
  const name = "outcomes";
  if (!topicArn && !environment.HUBRELAY_OUTCOME_SINKS) {
    const found = "Neither HUBRELAY_OUTCOME_TOPIC_ARN nor HUBRELAY_OUTCOME_SINKS is set: not checked.";
    return [
      stated(name, note(found, "Set the one of the deployment; without one, outcomes are only in the log.")),
    ];
  }
  return topicArn
    ? [
        topicRow(environment, name, topicArn, (subscribers) =>
          ok(`The topic ${topicArn} exists, with ${subscribers} subscribers.`),
        ),
      ]
    : [];
}

/** Judges whether the alarms of a stack on AWS have a subscriber. */
export function alarmVerdict(subscribers: number): Verdict {
  return subscribers > 0
    ? ok(`The alarm topic has ${counted(subscribers, "confirmed subscriber")}.`)
    : note(
        "The alarm topic has no confirmed subscriber: nobody gets the alarms.",
        "Deploy with --param alarmEmail=MAILBOX and open the link in its first mail, or subscribe a pager to the topic.",
      );
}

const alarmRows = ({ HUBRELAY_ALARM_TOPIC_ARN: topicArn, ...environment }: Environment): readonly Row[] =>
  topicArn ? [topicRow(environment, "alarms", topicArn, alarmVerdict)] : [];

const sinkRows = (environment: Environment): readonly Row[] =>
  outcomeSinks(environment).map((sink) =>
    row({
      name: `outcomes for ${sink.name}`,
      read: () => sinkStatus(sink, environment),
      judge: (status) =>
        targetVerdict(`The server responds (${status} to a request without an event).`, sink.types),
      fix: outcomesFix("a way to it"),
    }),
  );

/** Returns the checks of everything that environment variables name, except the hub, in the order of the output. */
export function environmentTables(environment: Environment): readonly Table[] {
  const timeZones = timeZoneVerdict(environment, process.versions.tz);
  return [
    { name: "time zones", rows: () => [stated("time zones", timeZones)] },
    { name: "queues", rows: () => queueRows(environment) },
    { name: "outcomes", rows: () => topicRows(environment) },
    { name: "outcomes", rows: () => sinkRows(environment) },
    { name: "alarms", rows: () => alarmRows(environment) },
  ];
}
