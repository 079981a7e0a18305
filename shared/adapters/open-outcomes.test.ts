import { expect, test } from "vitest";
import { anOutcome } from "../../test/support/messages/refusing-topic.ts";
import { scriptedApi } from "../../test/support/servers/scripted-api.ts";
import type { LogEntry } from "../ports/log.ts";
import { openOutcomes } from "./open-outcomes.ts";

const event = anOutcome();
const noLog = () => undefined;

const sinksIn = (value: unknown) => ({ HUBRELAY_OUTCOME_SINKS: JSON.stringify(value) });

test("When there are sinks, each should get the types that it wants", async () => {
  const server = await scriptedApi((_, response) => response.writeHead(202).end());
  const environment = sinksIn({
    all: { url: `${server.url}/all` },
    mirrors: { url: `${server.url}/mirrors`, types: ["dev.hubrelay.mirror-config.*"] },
    others: {
      url: `${server.url}/others`,
      types: ["dev.hubrelay.mirror-config", "dev.hubrelay.precache.finished"],
    },
  });
  await openOutcomes(environment, noLog).publish([event]);
  expect(server.calls.map(({ path }) => path).sort()).toEqual(["/all", "/mirrors"]);
});

test("When a sink refuses some events, the log should count those and the accepted ones", async () => {
  let status = 400;
  const server = await scriptedApi((_, response) => response.writeHead(status).end());
  const environment = sinksIn({ tickets: { url: server.url } });
  const logged: LogEntry[] = [];
  const topic = openOutcomes(environment, (entry) => logged.push(entry));
  await expect(topic.publish([event])).rejects.toThrow("sink tickets");
  status = 202;
  await topic.publish([event]);
  expect(logged).toMatchObject([
    { event: "outcomes-sent", sink: "tickets", messages: 0 },
    { event: "outcomes-refused", sink: "tickets", messages: 1 },
    { event: "outcomes-sent", sink: "tickets", messages: 1 },
  ]);
});

test.for([sinksIn({}), {}])("When nobody subscribes (%o), publishing should succeed", async (environment) => {
  await openOutcomes(environment, noLog).publish([event]);
});

const one = (given: object) => sinksIn({ tickets: { url: "https://tickets.example.com", ...given } });

const plain = { url: "http://tickets.lan" };

test.for([
  ["the sinks are a list", sinksIn([]), "HUBRELAY_OUTCOME_SINKS is not a JSON object"],
  ["a sink is text", sinksIn({ a: "b" }), "a is not a JSON object"],
  ["a sink has no URL", sinksIn({ a: {} }), "a has no url"],
  ["a URL is not of a web server", one({ url: "ftp://x" }), "tickets has no url"],
  ["a field is misspelt", one({ type: [] }), "tickets has the unknown field type"],
  ["the filter is empty", one({ types: [] }), "tickets has types that are not a list"],
  ["a token has no TLS", one({ ...plain, tokenFile: "/token" }), "tickets has a token for a url without TLS"],
] as const)("When $0, it should throw", ([, environment, message]) => {
  expect(() => openOutcomes(environment, noLog)).toThrow(message);
});
