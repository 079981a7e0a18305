import { controllers } from "#functions/controllers.ts";
import { deadLettersOf } from "#shared/adapters/sqs/ensure-queue.ts";
import { startElasticmq } from "./elasticmq.ts";

/** An ElasticMQ to kill, on the port of its arguments, with the queues of all functions; it ends with this process. */
const [folder = "", port = "0"] = process.argv.slice(2);
const queues = controllers.flatMap(({ queue }) => [
  [`queues.${deadLettersOf(queue)}.delay`, "0 seconds"],
  [`queues.${queue}.deadLettersQueue.name`, deadLettersOf(queue)],
  [`queues.${queue}.deadLettersQueue.maxReceiveCount`, "10"],
]);
const settings = {
  ...Object.fromEntries(queues),
  // A killed worker's messages return soon.
  "queues.mirror-configs.defaultVisibilityTimeout": "2 seconds",
  // The queue of a subscriber.
  "queues.outcomes.delay": "0 seconds",
};
await startElasticmq({ folder, port: Number(port), settings });
console.log(JSON.stringify({ event: "started" }));
