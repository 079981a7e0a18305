import { explanation } from "#shared/domain/issues/issue.ts";
import { byCodeUnit } from "#shared/domain/kubernetes/json/values.ts";
import {
  displayName,
  type Kind,
  type KubernetesObject,
  kindOf,
  kinds,
  referenceTo,
} from "#shared/domain/kubernetes/object.ts";
import type { OutcomeEvent } from "#shared/domain/plan/outcome-event.ts";
import { type Hub, HubError } from "#shared/ports/hub.ts";
import type { LogEntry } from "#shared/ports/log.ts";
import type { OutgoingMessage, Queue } from "#shared/ports/queue.ts";
import type { AllPorts } from "../precache/precache-system.ts";
import { changesOf, fieldsOf } from "./changes.ts";

/** One thing that happened in a batch. */
export type Step = {
  label:
    | "event"
    | "ignored"
    | "read"
    | "decided"
    | "error"
    | "warning"
    | "written"
    | "refused"
    | "conflict"
    | "sent"
    | "outcome"
    | "requeued"
    | "retry"
    | "again"
    | "failed"
    | "dead";
  text: string;
  /** Why a write was made. */
  reason?: string;
  /** What a write changed, a line for each field. */
  changes: readonly string[];
  /** The data of an outcome. */
  data: readonly string[];
};

/** Two groups have kinds of the same name, so a read is shown by the name in hubrelay's own table. */
const kindNames = new Map(
  Object.entries(kinds).map(([name, { apiVersion, plural }]) => [`${apiVersion}/${plural}`, name]),
);
const kindName = ({ apiVersion, plural, kind }: Kind) => kindNames.get(`${apiVersion}/${plural}`) ?? kind;

/** Returns what was read: by verb, on the hub and in each guest. */
function textOfReads(reads: readonly Readonly<{ verb: string; kind: string }>[]): string {
  return [...Map.groupBy(reads, ({ verb }) => verb)]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([verb, some]) => {
      const byKind = [...Map.groupBy(some, ({ kind }) => kind)].sort(([a], [b]) => byCodeUnit(a, b));
      return `${verb} ${byKind.map(([kind, { length }]) => times(kind, length)).join(", ")}`;
    })
    .join("; ");
}

/** Returns what messages say, those about clusters of one object together. */
function textOfMessages(messages: readonly OutgoingMessage[]): string {
  const byObject = Map.groupBy(
    messages.map(({ body }) => JSON.parse(body)),
    ({ type, data }) => `${type.split(".").at(-1)} ${displayName(data)}`,
  );
  return [...byObject]
    .map(([object, some]) => {
      const clusters = some.flatMap(({ data }) => data.cluster ?? []).join(", ");
      return clusters ? `${object} (${clusters})` : object;
    })
    .join(", ");
}

/** Returns the text with the number of times that it applies, if more than one. */
export const times = (text: string, count: number): string => (count > 1 ? `${text} ×${count}` : text);

/** Returns the step that a log entry adds; undefined for what the ports show themselves. */
function loggedStep(entry: LogEntry): readonly [Step["label"], string] | undefined {
  switch (entry.event) {
    case "event-received":
      return ["event", `${entry.type.split(".").at(-1)} ${entry.subject}`];
    case "event-ignored":
      return ["ignored", entry.reason];
    case "decided":
      return ["decided", `${entry.subject}: ${entry.verdict}: ${entry.reason}`];
    case "issue": {
      const { severity, code, object, path } = entry.issue;
      return [severity, `${code} ${displayName(object)} ${path}: ${explanation(entry.issue)}`];
    }
    case "conflict":
      return ["conflict", `${entry.object}: reconciling again`];
    case "retry":
      return ["retry", `in ${entry.delaySeconds} s: ${entry.error}`];
    case "failed":
      return ["failed", entry.error];
    case "dead-lettered":
      return ["dead", entry.reason];
    case "handled":
      if (entry.failed === 0) return undefined;
      return ["again", `${entry.failed} of ${entry.messages} messages are received again`];
    default:
      return undefined;
  }
}

/** Returns the ports of one batch, and the steps of everything that passes through them, in the order in which it does. */
export function recordedPorts(ports: AllPorts): Readonly<{ ports: AllPorts; steps(): readonly Step[] }> {
  const steps: Step[] = [];
  const reads: { verb: string; kind: string }[] = [];

  function addReads(): void {
    if (reads.length > 0)
      steps.push({ label: "read", text: textOfReads(reads.splice(0)), changes: [], data: [] });
  }
  function add(label: Step["label"], text: string, data: readonly string[] = []): Step {
    addReads();
    const step = { label, text, changes: [], data };
    steps.push(step);
    return step;
  }

  function recordedHub(hub: Hub, where = ""): Hub {
    const addRead = (verb: string, kind: Kind) =>
      reads.push({ verb: `${where}${verb}`, kind: kindName(kind) });
    async function attempt<Result>(text: string, write: (step: Step) => Promise<Result>): Promise<Result> {
      const step = add("written", text);
      try {
        return await write(step);
      } catch (error) {
        step.label = "refused";
        step.text += `: ${error instanceof HubError ? error.code : error}`;
        throw error;
      }
    }
    async function store(
      verb: string,
      object: KubernetesObject,
      write: Hub["create"],
    ): Promise<KubernetesObject> {
      const { name, namespace } = object.metadata;
      const kind = kindOf(object);
      const before = kind && (await hub.get(kind, name, namespace));
      return attempt(`${verb} ${where}${displayName(referenceTo(object))}`, async (step) => {
        const after = await write(object);
        step.changes = changesOf(before, after);
        return after;
      });
    }
    return {
      ...hub,
      get: (kind, ...place) => {
        addRead("get", kind);
        return hub.get(kind, ...place);
      },
      list: (kind, options) => {
        addRead("list", kind);
        return hub.list(kind, options);
      },
      create: (object) => store("create", object, hub.create),
      update: (object) => store("update", object, hub.update),
      updateStatus: (object) => store("update-status", object, hub.updateStatus),
      delete: (reference) => attempt(`delete ${where}${displayName(reference)}`, () => hub.delete(reference)),
    };
  }

  function recordedQueue(queue: Queue): Queue {
    return {
      ...queue,
      send: async (messages) => {
        const delay = messages[0]?.delaySeconds;
        if (delay !== undefined) add("requeued", `${textOfMessages(messages)}: in ${delay} s`);
        else if (messages.length > 0) add("sent", `to ${queue.name}: ${textOfMessages(messages)}`);
        await queue.send(messages);
      },
    };
  }

  /** The reason of a write is known when it is done. */
  function addReason({ object, reason }: Readonly<{ object: string; reason: string }>): void {
    const step = steps.findLast(({ label, text }) => label === "written" && text.endsWith(object));
    if (step) step.reason = reason;
  }

  const { queueNamed, external } = ports;
  return {
    steps() {
      addReads();
      return steps;
    },
    ports: {
      ...ports,
      hub: recordedHub(ports.hub),
      queue: recordedQueue(ports.queue),
      ...(queueNamed ? { queueNamed: (name: string) => recordedQueue(queueNamed(name)) } : {}),
      external: {
        ...external,
        guests: {
          open: async (cluster, kubeconfig) =>
            recordedHub(await external.guests.open(cluster, kubeconfig), `${cluster}: `),
          opened(cluster) {
            const guest = external.guests.opened(cluster);
            return guest && recordedHub(guest, `${cluster}: `);
          },
        },
      },
      outcomes: {
        publish: async (events: readonly OutcomeEvent[]) => {
          await ports.outcomes.publish(events);
          for (const { type, subject, data } of events) add("outcome", `${type} ${subject}`, fieldsOf(data));
        },
      },
      log(entry) {
        const logged = loggedStep(entry);
        if (logged) add(...logged);
        if (entry.event === "written") addReason(entry);
        ports.log(entry);
      },
    },
  };
}
