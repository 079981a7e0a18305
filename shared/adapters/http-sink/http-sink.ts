import { readFile } from "node:fs/promises";
import { type Dispatcher, request } from "undici";
import type { OutcomeEvent } from "../../domain/plan/outcome-event.ts";
import { messageOf } from "../../domain/text/error-text.ts";
import { type OutcomeTopic, OutcomeTopicError, withAccepted } from "../../ports/outcome-topic.ts";
import { runConcurrently } from "../../runtime/run-concurrently.ts";
import { type Dispatchers, dispatchers } from "../network/dispatchers.ts";
import { networkErrorText } from "../network/network-errors.ts";
import { abortable, retryAfterOf, withBatch } from "../network/requests.ts";
import type { Environment } from "../settings/environment.ts";
import type { OutcomeSink } from "../settings/outcome-settings.ts";

/** Returns a request in the structured mode of CloudEvents 1.0.2 over HTTP (HTTP binding, section 3.2). */
const eventRequest = (event: OutcomeEvent) => ({
  method: "POST" as const,
  headers: { "content-type": "application/cloudevents+json; charset=utf-8" },
  body: JSON.stringify(event),
});

/** Maximum number of concurrent requests to a sink. Ticket and alert systems are not made for bursts. */
const concurrency = 4;
const timeoutMs = 10_000;

/** Reports whether the status rejects only this event. The server may still accept other events. */
const isAboutEvent = (status: number) => [400, 409, 413, 415, 422].includes(status);

function codeOf(status: number): OutcomeTopicError["code"] {
  if (status === 413) return "TooLarge";
  return status === 404 || status === 410 ? "TopicMissing" : "PublishFailed";
}

function refusal(
  { statusCode: status, headers }: Dispatcher.ResponseData,
  about: string,
): OutcomeTopicError | undefined {
  if (status >= 200 && status < 300) return undefined;
  const code = codeOf(status);
  const advice = status >= 300 && status < 400 ? "; set the url that it redirects to" : "";
  const found = code === "TooLarge" ? "has more bytes than the server takes" : "was not accepted";
  return new OutcomeTopicError(code, `${about} ${found}: ${status}${advice}`, {
    ...retryAfterOf(headers["retry-after"]),
  });
}

async function textOf(file: string, { name }: OutcomeSink): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new OutcomeTopicError("PublishFailed", `sink ${name}: ${messageOf(error)}`, { cause: error });
  }
}

type Connection = Readonly<{ dispatcher: Dispatcher; headers: Readonly<Record<string, string>> }>;

async function connect(sink: OutcomeSink, connections: Dispatchers): Promise<Connection> {
  const { url, tokenFile, caFile } = sink;
  const authorities = caFile === undefined ? {} : { authorities: await textOf(caFile, sink) };
  return {
    dispatcher: connections.of(new URL(url), authorities),
    headers: tokenFile === undefined ? {} : { authorization: `Bearer ${await textOf(tokenFile, sink)}` },
  };
}

async function respond(
  { url }: OutcomeSink,
  connection: Connection,
  {
    headers,
    ...options
  }: ReturnType<typeof eventRequest> | Readonly<{ method: "HEAD"; headers?: undefined }>,
): Promise<Dispatcher.ResponseData> {
  const signal = withBatch(AbortSignal.timeout(timeoutMs));
  const { dispatcher } = connection;
  const all = { ...headers, ...connection.headers };
  const response = await abortable(request(url, { ...options, dispatcher, headers: all, signal }), signal);
  await response.body.dump();
  return response;
}

/** Returns the status of a request without an event. Throws `OutcomeTopicError` if it fails or is unauthorized. */
export async function sinkStatus(sink: OutcomeSink, environment: Environment): Promise<number> {
  const connections = dispatchers(environment);
  try {
    const { statusCode } = await respond(sink, await connect(sink, connections), { method: "HEAD" });
    if (statusCode !== 401 && statusCode !== 403) return statusCode;
    throw new OutcomeTopicError("PublishFailed", `sink ${sink.name}: it rejects the token (${statusCode})`);
  } catch (error) {
    if (error instanceof OutcomeTopicError) throw error;
    throw new OutcomeTopicError("PublishFailed", `sink ${sink.name}: ${networkErrorText(error)}`, {
      cause: error,
    });
  } finally {
    connections.close();
  }
}

/**
 * Returns an outcome topic that sends each event as a CloudEvent over HTTP. If the server fails, the remaining events
 * are not sent, and the caller must publish them again. Redirects are not followed: their targets would get the token.
 */
export function httpSink(sink: OutcomeSink, environment: Environment): OutcomeTopic {
  const connections = dispatchers(environment);

  async function send(
    event: OutcomeEvent,
    connection: Connection,
  ): Promise<Readonly<{ error?: OutcomeTopicError; isAboutServer?: boolean }>> {
    const about = `sink ${sink.name}: ${event.type} about ${event.subject}`;
    try {
      const response = await respond(sink, connection, eventRequest(event));
      const error = refusal(response, about);
      return error ? { error, isAboutServer: !isAboutEvent(response.statusCode) } : {};
    } catch (error) {
      const text = `${about}: ${networkErrorText(error)}`;
      return { error: new OutcomeTopicError("PublishFailed", text, { cause: error }), isAboutServer: true };
    }
  }

  return {
    async publish(events) {
      if (events.length === 0) return;
      const connection = await connect(sink, connections);
      const accepted: string[] = [];
      const errors: OutcomeTopicError[] = [];
      let isServerFailing = false;
      await runConcurrently(events, concurrency, async (event) => {
        if (isServerFailing) return;
        const { error, isAboutServer = false } = await send(event, connection);
        isServerFailing ||= isAboutServer;
        if (error) errors.push(error);
        else accepted.push(event.id);
      });
      // A retryable error takes precedence, so that the caller retries.
      const error = errors.find(({ isRetryable }) => isRetryable) ?? errors[0];
      if (error) throw withAccepted(error, accepted);
    },
  };
}
