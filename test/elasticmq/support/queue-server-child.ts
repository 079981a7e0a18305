import { startElasticmq } from "./elasticmq.ts";

/** ElasticMQ to be killed, on the port of its arguments; it goes with this process. */
const [folder = "", port = "0"] = process.argv.slice(2);
// What a killed worker had in hand comes back soon.
const settings = { "queues.mirror-configs.defaultVisibilityTimeout": "2 seconds" };
await startElasticmq({ folder, port: Number(port), settings });
console.log(JSON.stringify({ event: "started" }));
