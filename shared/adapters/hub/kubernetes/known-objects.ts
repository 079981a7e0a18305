import type { Kind } from "../../../domain/kubernetes/kinds.ts";
import type { KubernetesObject } from "../../../domain/kubernetes/object.ts";
import type { HubChange } from "../../../ports/hub.ts";

type Told = Exclude<HubChange, Readonly<{ verb: "synced" }>>;
type Version = Readonly<{ uid: string; resourceVersion: string }>;

const keyOf = ({ metadata }: KubernetesObject) => `${metadata.namespace ?? ""}/${metadata.name}`;

function versionOf({ metadata }: KubernetesObject): Version {
  return { uid: metadata.uid ?? "", resourceVersion: metadata.resourceVersion ?? "" };
}

/**
 * What a watch of one kind has told: of each object only uid and resourceVersion, so that a hundred thousand
 * objects take some tens of megabytes. Turns what the server says into the changes since then.
 */
export function knownObjects({ apiVersion, kind }: Kind) {
  let known = new Map<string, Version>();

  /** All that is still known of an object that went unseen. */
  function gone(key: string, { uid, resourceVersion }: Version): Told {
    const slash = key.indexOf("/");
    const namespace = key.slice(0, slash);
    const name = key.slice(slash + 1);
    const metadata = { name, ...(namespace ? { namespace } : {}), uid, resourceVersion };
    return { verb: "delete", object: { apiVersion, kind, metadata } };
  }

  function differences(key: string, before: Version | undefined, object: KubernetesObject): readonly Told[] {
    const now = versionOf(object);
    if (!before) return [{ verb: "add", object }];
    if (before.uid !== now.uid) return [gone(key, before), { verb: "add", object }];
    return before.resourceVersion === now.resourceVersion ? [] : [{ verb: "update", object }];
  }

  return {
    /** An object that was added or changed: nothing when this version is known, since watches repeat themselves. */
    stored(object: KubernetesObject): readonly Told[] {
      const key = keyOf(object);
      const changes = differences(key, known.get(key), object);
      known.set(key, versionOf(object));
      return changes;
    },

    deleted(object: KubernetesObject): readonly Told[] {
      return known.delete(keyOf(object)) ? [{ verb: "delete", object }] : [];
    },

    /** Begins a comparison with a new list of all objects. */
    relisted() {
      const listed = new Map<string, Version>();
      return {
        listed(object: KubernetesObject): readonly Told[] {
          const key = keyOf(object);
          listed.set(key, versionOf(object));
          const changes = differences(key, known.get(key), object);
          known.set(key, versionOf(object));
          return changes;
        },
        /** The list has begun anew: what was on it does not count. */
        restarted(): void {
          listed.clear();
        },
        /** The list is complete: what is not on it is gone. */
        complete(): readonly Told[] {
          const missing = [...known].filter(([key]) => !listed.has(key));
          known = listed;
          return missing.map(([key, version]) => gone(key, version));
        },
      };
    },
  };
}
