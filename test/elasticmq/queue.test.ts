import { queueContract } from "../contract/queue.contract.ts";
import { startEngine } from "./support/engine.ts";

queueContract("ElasticMQ", startEngine);
