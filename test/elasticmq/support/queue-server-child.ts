import { startElasticmq } from "./elasticmq.ts";

/** An ElasticMQ to kill, on the port of its arguments; it ends with this process. */
const [folder = "", port = "0"] = process.argv.slice(2);
const settings = {
  // A killed worker's messages return soon.
  "queues.mirror-configs.defaultVisibilityTimeout": "2 seconds",
  // The queue of a subscriber.
  "queues.outcomes.delay": "0 seconds",
};
await startElasticmq({ folder, port: Number(port), settings });
console.log(JSON.stringify({ event: "started" }));
