import { queueContract } from "../contract/queue.contract.ts";
import { startEngine } from "./support/engine.ts";

queueContract("ElasticMQ", 262_144, startEngine);
