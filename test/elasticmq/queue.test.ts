import { outcomeTopicContract } from "../contract/outcome-topic.contract.ts";
import { subscriberQueueEngine } from "../contract/outcome-topic.engines.ts";
import { queueContract } from "../contract/queue.contract.ts";
import { subscriberLimitsContract } from "../contract/subscriber-limits.contract.ts";
import { startEngine } from "./support/engine.ts";

queueContract("ElasticMQ", 262_144, startEngine);

outcomeTopicContract("queues of subscribers on ElasticMQ", async () => {
  const engine = await startEngine();
  return subscriberQueueEngine(engine.sqs, () => engine.stop());
});
subscriberLimitsContract("ElasticMQ", startEngine);
