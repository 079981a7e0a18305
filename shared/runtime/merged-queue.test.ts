import type { Context, SQSEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { sendingQueue } from "../../test/support/messages/sending-queue.ts";
import { aRecord } from "../../test/support/messages/sqs-record.ts";
import { type Kind, kinds } from "../domain/kubernetes/object.ts";
import { hubEvent } from "../domain/plan/hub-event.ts";
import { type OutgoingMessage, QueueError } from "../ports/queue.ts";
import type { Watch } from "./controller.ts";
import { mergedQueue } from "./merged-queue.ts";

const { HostedCluster, HostedControlPlane, Image } = kinds;
const itself = (kind: Kind, more: Partial<Watch> = {}): Watch => ({
  kind,
  mapToKeys: ({ name }) => [{ name }],
  ...more,
});
/** Both of a name map to one key; an Image is a source. */
const watches = [
  itself(HostedCluster),
  itself(HostedControlPlane),
  itself(Image, { sourceOf: HostedCluster }),
];

const source = "urn:test:hub";
/** A message about a version of an object, or what its body says. */
const about = ({ apiVersion, kind }: Kind, name: string, resourceVersion: string): OutgoingMessage => ({
  body: JSON.stringify(hubEvent("update", { apiVersion, kind, name, uid: "u", resourceVersion }, { source })),
});
const said = (bodies: readonly string[]) =>
  bodies.map((body) => {
    const { data } = JSON.parse(body);
    return `${data.kind} ${data.name} ${data.resourceVersion}`;
  });

function aQueue() {
  const sent: string[] = [];
  const refuses: { error?: Error } = {};
  const hub = {
    id: source,
    get: () => expect.fail("no mapping here reads the hub"),
    list: () => expect.fail("no mapping here reads the hub"),
  };
  const accept = async (messages: readonly OutgoingMessage[]) => {
    if (refuses.error) throw refuses.error;
    sent.push(...messages.map(({ body }) => body));
  };
  const { queue, handling } = mergedQueue(sendingQueue("work", accept), { watches }, hub);
  const failing = new Set<string>();
  const handled: string[][] = [];
  const handle = handling(async ({ Records }: SQSEvent) => {
    handled.push(Records.map(({ body }) => body));
    const ids = [...new Set(Records.map(({ messageId }) => messageId))].filter((id) => failing.has(id));
    return { batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) };
  });
  return {
    queue,
    refuses,
    failing,
    sent: () => said(sent),
    /** Receives the nth message that was sent; returns what the handler got. */
    async receive(index: number): Promise<readonly string[]> {
      await handle({ Records: [aRecord(String(index), sent[index] ?? "")] }, {} as Context);
      return said(handled.at(-1) ?? []);
    },
  };
}

test("When messages for one key wait, one should be sent, and the handler get the newest about each object", async () => {
  const { queue, sent, receive } = aQueue();
  await queue.send([about(HostedCluster, "shop", "1"), about(HostedCluster, "other", "1")]);
  await queue.send([about(HostedControlPlane, "shop", "2")]);
  await queue.send([about(HostedControlPlane, "shop", "3")]);
  expect(sent()).toEqual(["HostedCluster shop 1", "HostedCluster other 1"]);
  expect(await receive(0)).toEqual(["HostedCluster shop 1", "HostedControlPlane shop 3"]);
  expect(await receive(1)).toEqual(["HostedCluster other 1"]);
});

test("When a message for a key is received, the next one should be sent: its change may come after the reads", async () => {
  const { queue, sent, receive } = aQueue();
  await queue.send([about(HostedCluster, "shop", "1")]);
  await receive(0);
  await queue.send([about(HostedCluster, "shop", "2")]);
  expect(sent()).toEqual(["HostedCluster shop 1", "HostedCluster shop 2"]);
});

test("When a message with others fails, they should be received again with it, until it is handled", async () => {
  const { queue, failing, receive } = aQueue();
  await queue.send([about(HostedCluster, "shop", "1"), about(HostedControlPlane, "shop", "2")]);
  failing.add("0");
  const both = ["HostedCluster shop 1", "HostedControlPlane shop 2"];
  expect(await receive(0)).toEqual(both);
  failing.clear();
  expect(await receive(0)).toEqual(both);
  expect(await receive(0)).toEqual(["HostedCluster shop 1"]);
});

test.for<readonly [string, OutgoingMessage]>([
  ["is delayed", { ...about(HostedCluster, "shop", "2"), delaySeconds: 5 }],
  ["has attributes", { ...about(HostedCluster, "shop", "2"), attributes: { since: "now" } }],
  ["is about a source", about(Image, "shop", "2")],
  ["is about nothing that is watched", about(kinds.Secret, "shop", "2")],
])("When a message %s, it should join no other", async ([, message]) => {
  const { queue, sent } = aQueue();
  await queue.send([message]);
  await queue.send([about(HostedCluster, "shop", "1")]);
  await queue.send([message]);
  expect(sent()).toHaveLength(3);
});

test("When the queue refuses a message, it should be sent again with the next attempt", async () => {
  const { queue, sent, refuses } = aQueue();
  const messages = [about(HostedCluster, "shop", "1")];
  refuses.error = new QueueError("QueueUnavailable", "down");
  await expect(queue.send(messages)).rejects.toThrow("down");
  delete refuses.error;
  await queue.send(messages);
  expect(sent()).toEqual(["HostedCluster shop 1"]);
});
