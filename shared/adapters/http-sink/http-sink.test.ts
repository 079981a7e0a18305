import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { anOutcome } from "../../../test/support/messages/refusing-topic.ts";
import { type ApiScript, scriptedApi } from "../../../test/support/servers/scripted-api.ts";
import { certificate } from "../../../test/support/servers/server-certificate.ts";
import { httpSink } from "./http-sink.ts";

const respond =
  (status: number, headers: Record<string, string> = {}): ApiScript =>
  (_, response) =>
    response.writeHead(status, headers).end();

const events = ["a", "b", "c"].map((id) => ({ ...anOutcome(), id }));

test("When there are a token and an authority, they should be read again for every publication", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hubrelay-sink-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [tokenFile, caFile] = [join(folder, "token"), join(folder, "ca.pem")];
  const server = await scriptedApi(respond(204), { isTls: true });
  const sink = httpSink({ name: "tickets", url: server.url, tokenFile, caFile }, {});
  await expect(sink.publish([anOutcome()])).rejects.toMatchObject({
    code: "PublishFailed",
    isRetryable: true,
  });
  await writeFile(caFile, certificate);
  for (const token of ["one", "two"]) {
    await writeFile(tokenFile, `${token}\n`);
    await sink.publish([anOutcome()]);
  }
  expect(server.calls.map(({ headers }) => headers.authorization)).toEqual(["Bearer one", "Bearer two"]);
});

test.for([
  { status: 400, code: "PublishFailed", requests: 3 },
  { status: 413, code: "TooLarge", requests: 3 },
])("When the status is $status, the other events should be sent", async ({ status, code, requests }) => {
  const server = await scriptedApi((call, response) =>
    response.writeHead(JSON.parse(call.body).id === "b" ? status : 200).end(),
  );
  const sink = httpSink({ name: "tickets", url: server.url }, {});
  await expect(sink.publish(events)).rejects.toMatchObject({ code, accepted: new Set(["a", "c"]) });
  expect(server.calls).toHaveLength(requests);
});

test.for([
  { status: 401, code: "PublishFailed" },
  { status: 404, code: "TopicMissing" },
  { status: 503, code: "PublishFailed", headers: { "retry-after": "3600" }, retryAfterSeconds: 3600 },
  { status: 429, code: "PublishFailed", headers: { "retry-after": "60" }, retryAfterSeconds: 60 },
  { status: 301, code: "PublishFailed", headers: { location: "/elsewhere" } },
])(
  "When the status is $status, it should be tried again later, without a request for each event",
  async ({ status, code, headers, retryAfterSeconds }) => {
    const server = await scriptedApi(respond(status, headers));
    const sink = httpSink({ name: "tickets", url: server.url }, {});
    const many = Array.from({ length: 40 }, (_, index) => ({ ...anOutcome(), id: String(index) }));
    const error = {
      code,
      isRetryable: true,
      retryAfterSeconds,
      message: expect.stringContaining(`${status}`),
    };
    await expect(sink.publish(many)).rejects.toMatchObject(error);
    expect(server.calls.length).toBeLessThan(10);
  },
);

test("When the server cannot be reached, the error should name the sink and be retryable", async () => {
  const sink = httpSink({ name: "tickets", url: "http://127.0.0.1:1/" }, {});
  await expect(sink.publish([anOutcome()])).rejects.toMatchObject({
    isRetryable: true,
    message: expect.stringMatching(/^sink tickets: .*ECONNREFUSED/),
  });
});
