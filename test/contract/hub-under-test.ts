import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import {
  type Kind,
  type KubernetesObject,
  kinds,
  type ObjectMeta,
} from "#shared/domain/kubernetes/object.ts";
import { type Hub, HubError, type HubErrorCode } from "#shared/ports/hub.ts";

const { ImageDigestMirrorSet, MachineConfig, MachineConfigPool, Event } = kinds;

/** A hub for the suite; it may hold objects of other tests, and need not be empty afterwards. */
export type HubUnderTest = Readonly<{ hub: Hub; close(): Promise<void> }>;

/** The context of the running test: the hub, a name prefix for its objects, and the signal that ends its watches. */
export type Current = Readonly<{
  hub: Hub;
  mine: string;
  stop: AbortController;
  /** Reads the object; fails when it does not exist. */
  get(kind: Kind, name: string, namespace?: string): Promise<KubernetesObject>;
  /** Filters the names that the running test has created. */
  mineOf(objects: readonly KubernetesObject[]): readonly string[];
}>;

/** Provides a hub for all tests of the calling suite, and a name prefix for each test. */
export function currentHub(open: () => Promise<HubUnderTest>): Current {
  let opened: HubUnderTest;
  let mine = "";
  let stop = new AbortController();
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  beforeEach(() => {
    mine = `t-${randomUUID().slice(0, 8)}`;
    stop = new AbortController();
  });
  afterEach(() => stop.abort());
  return {
    get hub() {
      return opened.hub;
    },
    get mine() {
      return mine;
    },
    get stop() {
      return stop;
    },
    async get(kind, name, namespace) {
      const object = await opened.hub.get(kind, name, namespace);
      if (!object) throw new Error(`${name} is not there`);
      return object;
    },
    mineOf: (objects) => objects.map(({ metadata }) => metadata.name).filter((found) => found.includes(mine)),
  };
}

export function aMirrorSet(
  name: string,
  mirror = "m1.example.com",
  metadata: Partial<ObjectMeta> = {},
): KubernetesObject {
  return {
    apiVersion: ImageDigestMirrorSet.apiVersion,
    kind: ImageDigestMirrorSet.kind,
    metadata: { name, ...metadata },
    spec: { imageDigestMirrors: [{ source: "quay.io/acme", mirrors: [mirror] }] },
  };
}

export function aPool(name: string, metadata: Partial<ObjectMeta> = {}): KubernetesObject {
  const { apiVersion, kind } = MachineConfigPool;
  return { apiVersion, kind, metadata: { name, ...metadata }, spec: { paused: false } };
}

export function aMachineConfig(name: string): KubernetesObject {
  const { apiVersion, kind } = MachineConfig;
  const files = [{ path: "/etc/acme", mode: 420, contents: { source: "data:," } }];
  const config = { ignition: { version: "3.2.0" }, storage: { files } };
  return { apiVersion, kind, metadata: { name }, spec: { config } };
}

export function anEvent(name: string, about: string): KubernetesObject {
  return {
    apiVersion: Event.apiVersion,
    kind: Event.kind,
    metadata: { name, namespace: "default" },
    involvedObject: {
      apiVersion: ImageDigestMirrorSet.apiVersion,
      kind: ImageDigestMirrorSet.kind,
      name: about,
    },
    type: "Warning",
    reason: "SourceInvalid",
    message: "The source is not a repository.",
    source: { component: "hubrelay-contract" },
    firstTimestamp: "2026-03-01T02:00:00Z",
    lastTimestamp: "2026-03-01T02:00:00Z",
    count: 1,
  };
}

/** Returns the code of the error with which a request fails. */
export async function failure(request: Promise<unknown>): Promise<HubErrorCode | string> {
  try {
    await request;
    return "it did not fail";
  } catch (error) {
    return error instanceof HubError ? error.code : String(error);
  }
}

export const versionOf = ({ metadata }: KubernetesObject) => metadata.resourceVersion;
