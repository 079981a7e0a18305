import { hash } from "node:crypto";
import * as z from "zod";
import { openEnvelopes } from "#shared/domain/plan/envelope.ts";

const type = "dev.hubrelay.precache.cluster-failed";

/** The fields of the event that this subscriber reads; others may change. */
const failedCluster = z.object({
  type: z.literal(type),
  source: z.string(),
  data: z.object({
    cgu: z.object({ namespace: z.string(), name: z.string(), uid: z.string().optional() }),
    cluster: z.string(),
    revision: z.string(),
    attempt: z.int(),
    state: z.string(),
    reason: z.string(),
    message: z.string(),
  }),
});

/** A ticket about one failed run of one cluster. */
export type Ticket = Readonly<{
  /** The same for every event about this run: 64 hexadecimal digits. */
  key: string;
  title: string;
  hub: string;
  cluster: string;
  upgrade: string;
  revision: string;
  attempt: number;
  state: string;
  reason: string;
  message: string;
}>;

/** The result of reading a message: a ticket, undefined for other outcomes, or why it cannot be read. */
export type Reading =
  | Readonly<{ ok: true; ticket: Ticket | undefined }>
  | Readonly<{ ok: false; reason: string }>;

/**
 * Reads the body of a message from a queue that subscribes to the outcome topic, with or without raw delivery. Pure,
 * never throws.
 */
export function readTicket(body: string): Reading {
  const opened = openEnvelopes(body);
  if (!opened.ok) return opened;
  const found = opened.content.type;
  if (typeof found !== "string") return { ok: false, reason: `${opened.path}type is missing.` };
  if (found !== type) return { ok: true, ticket: undefined };
  const { data: event, error } = failedCluster.safeParse(opened.content);
  if (!event) return { ok: false, reason: z.prettifyError(error) };

  const { source: hub, data } = event;
  const { cgu, cluster, revision, attempt, state, reason, message } = data;
  // Not the event's id: an interrupted function may publish the same failure again with other data.
  const run = JSON.stringify([hub, cgu.namespace, cgu.name, cgu.uid ?? "", revision, attempt, cluster]);
  const upgrade = `${cgu.namespace}/${cgu.name}`;
  return {
    ok: true,
    ticket: {
      key: hash("sha256", run),
      title: `${cluster}: pre-caching for ${upgrade} failed: ${reason}`,
      hub,
      cluster,
      upgrade,
      revision,
      attempt,
      state,
      reason,
      message,
    },
  };
}
