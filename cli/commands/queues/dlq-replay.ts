import { setTimeout } from "node:timers/promises";
import { isRunning, type Redrive } from "#shared/adapters/sqs/redrive.ts";
import { counted } from "#shared/domain/text/human-readable.ts";
import { print, type SafeText, safe } from "../../io/safe-text.ts";
import { rendered, type StructuredFormat } from "../../io/structured-output.ts";
import { inEnvironment } from "../../program/environment-errors.ts";
import { exitCodes, UsageError } from "../../program/exit-codes.ts";
import { deadLetterQueues } from "./dead-letters.ts";

export type ReplayOptions = Readonly<{
  queue?: string;
  all?: boolean;
  output: "table" | StructuredFormat;
}>;

/** A server may take hours for many messages: the command waits for as many seconds as there are few of them. */
const waitSeconds = 10;

type Move = Redrive & Readonly<{ queue: string }>;

function line(move: Move): SafeText {
  const { queue, status, moved, failure } = move;
  const so = safe`${queue}: ${counted(moved, "dead letter")} moved`;
  if (isRunning(move))
    return safe`${so} so far; the move goes on. Run the command again to see its progress.\n`;
  if (status === "COMPLETED") return safe`${so}.\n`;
  return safe`${so}, then the move ended as ${status}${failure === undefined ? "" : safe`: ${failure}`}.\n`;
}

/** Runs `hubrelay dlq replay`: the queues' server moves dead letters back into their queues. */
export async function replay({ queue, all = false, output }: ReplayOptions): Promise<number> {
  if (all === (queue !== undefined)) throw new UsageError("either --queue or --all is required");
  const moves = await inEnvironment(async () => {
    const pairs = await deadLetterQueues(queue);
    const started = await Promise.all(
      pairs.map(async ({ name, startRedrive }) => ({ name, state: await startRedrive() })),
    );
    const read = () =>
      Promise.all(
        started.map(async ({ name, state }): Promise<Move> => ({ queue: name, ...(await state()) })),
      );
    let states = await read();
    for (let second = 0; second < waitSeconds && states.some(isRunning); second++) {
      await setTimeout(1000);
      states = await read();
    }
    return states;
  });
  print(rendered({ moves }, output, (clean) => safe`${clean.moves.map(line)}`));
  const isFine = moves.every((move) => isRunning(move) || move.status === "COMPLETED");
  return isFine ? exitCodes.fine : exitCodes.issues;
}
