import { displayName, type KubernetesObject, referenceTo } from "#shared/domain/kubernetes/object.ts";
import type { Hub } from "#shared/ports/hub.ts";
import type { Queue } from "#shared/ports/queue.ts";
import type { Step } from "../hub/stepped.ts";
import type { AllPorts } from "../precache/precache-system.ts";

/** What stands between a function and its hub, guests, queues and topic. */
export type Interception = Readonly<{
  read: Step;
  /** `what` names the verb and the object, for requests to a hub. */
  write<Result>(what: string, work: () => Promise<Result>): Promise<Result>;
}>;

function interceptedHub(hub: Hub, { read, write }: Interception, where = ""): Hub {
  const store = (verb: string, object: KubernetesObject, work: Hub["create"]) =>
    write(`${verb} ${where}${displayName(referenceTo(object))}`, () => work(object));
  return {
    ...hub,
    get: (...args) => read(() => hub.get(...args)),
    list: (...args) => read(() => hub.list(...args)),
    create: (object) => store("create", object, hub.create),
    update: (object) => store("update", object, hub.update),
    updateStatus: (object) => store("update-status", object, hub.updateStatus),
    delete: (reference) => write(`delete ${where}${displayName(reference)}`, () => hub.delete(reference)),
  };
}

/** Returns the ports with every request intercepted. */
export function interceptedPorts(ports: AllPorts, interception: Interception): AllPorts {
  const queueOf = (queue: Queue): Queue => ({
    ...queue,
    send: (messages) => interception.write(`send to ${queue.name}`, () => queue.send(messages)),
    changeVisibility: (...args) => interception.read(() => queue.changeVisibility(...args)),
  });
  const { queueNamed, outcomes } = ports;
  const { guests } = ports.external;
  return {
    ...ports,
    hub: interceptedHub(ports.hub, interception),
    queue: queueOf(ports.queue),
    ...(queueNamed ? { queueNamed: (name: string) => queueOf(queueNamed(name)) } : {}),
    outcomes: { publish: (events) => interception.write("publish", () => outcomes.publish(events)) },
    external: {
      ...ports.external,
      guests: {
        open: async (cluster, kubeconfig) =>
          interceptedHub(await guests.open(cluster, kubeconfig), interception, `${cluster}: `),
        opened(cluster) {
          const guest = guests.opened(cluster);
          return guest && interceptedHub(guest, interception, `${cluster}: `);
        },
      },
    },
  };
}
