import { startElasticmq } from "./elasticmq.ts";

/** An ElasticMQ to kill, on the port of its arguments; it ends with this process. */
const [folder = "", port = "0"] = process.argv.slice(2);
// A killed worker's messages return soon.
const settings = { "queues.mirror-configs.defaultVisibilityTimeout": "2 seconds" };
await startElasticmq({ folder, port: Number(port), settings });
console.log(JSON.stringify({ event: "started" }));
