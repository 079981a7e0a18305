import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { SQSClient } from "@aws-sdk/client-sqs";
import { ticketConsumer } from "./consumer.ts";
import { fileTicketsOf } from "./lines.ts";
import { ticketFolder } from "./ticket-store.ts";

const help = `Usage: node examples/subscriber/main.ts [--with-dev] [--help]

Files a ticket for each cluster whose pre-caching has failed: from the queue QUEUE_URL, else from
outcome events on standard input. Tickets are files in the folder TICKETS (default: tickets).

  --with-dev  run 'hubrelay dev' on the example fleet, and read its events ('npm run subscriber')
`;

const options = { "with-dev": { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;

/** Runs the example fleet. Ctrl-C reaches it as well; other signals reach this process only. */
function devEvents(): NodeJS.ReadableStream {
  const args = ["cli/main.ts", "dev", "--from", "examples/fleet", "--events"];
  const dev = spawn(process.execPath, args, { stdio: ["inherit", "pipe", "inherit"] });
  process.once("SIGTERM", () => dev.kill());
  return dev.stdout;
}

async function fileTickets(withDev: boolean): Promise<void> {
  const { QUEUE_URL: queueUrl, TICKETS: folder = "tickets" } = process.env;
  const store = ticketFolder(folder);
  const signals = ["SIGINT", "SIGTERM"];
  if (queueUrl && !withDev) {
    // The AWS SDK reads region, credentials and endpoint from the environment.
    const consumer = ticketConsumer({ sqs: new SQSClient({}), queueUrl, store, log: console.log });
    consumer.start();
    for (const signal of signals) process.once(signal, () => consumer.stop({ abort: true }));
    return;
  }
  // Ctrl-C reaches both ends of a pipe: this one ends after the other's last event.
  for (const signal of signals) process.on(signal, () => undefined);
  await fileTicketsOf(withDev ? devEvents() : process.stdin, store, console.log);
}

async function main(): Promise<number> {
  try {
    const { "with-dev": withDev = false, help: wantsHelp = false } = parseArgs({ options }).values;
    if (wantsHelp) process.stdout.write(help);
    else await fileTickets(withDev);
    return 0;
  } catch (error) {
    if (!(error instanceof TypeError && "code" in error)) throw error;
    process.stderr.write(`${error.message}\n${help}`);
    return 2;
  }
}

process.exitCode = await main();
