import type { Kind } from "../../../domain/kubernetes/kinds.ts";
import { type KubernetesObject, namespacedName } from "../../../domain/kubernetes/object.ts";
import type { ObjectChange } from "../../../ports/hub.ts";

type Version = Readonly<{ uid: string; resourceVersion: string }>;

function versionOf({ metadata }: KubernetesObject): Version {
  return { uid: metadata.uid ?? "", resourceVersion: metadata.resourceVersion ?? "" };
}

/**
 * The objects that a watch of one kind has reported: only uid and resourceVersion of each, so that a hundred thousand
 * objects take some tens of megabytes. Turns events and lists of the server into changes.
 */
export function knownObjects({ apiVersion, kind }: Kind) {
  let known = new Map<string, Version>();

  /** The identity is all that is known of an object whose deletion was missed. */
  function gone(key: string, { uid, resourceVersion }: Version): ObjectChange {
    const slash = key.indexOf("/");
    const namespace = key.slice(0, slash);
    const name = key.slice(slash + 1);
    const metadata = { name, ...(namespace ? { namespace } : {}), uid, resourceVersion };
    return { verb: "delete", object: { apiVersion, kind, metadata } };
  }

  function differences(
    key: string,
    before: Version | undefined,
    object: KubernetesObject,
  ): readonly ObjectChange[] {
    const now = versionOf(object);
    if (!before) return [{ verb: "add", object }];
    if (before.uid !== now.uid) return [gone(key, before), { verb: "add", object }];
    return before.resourceVersion === now.resourceVersion ? [] : [{ verb: "update", object }];
  }

  return {
    /**
     * Returns the change for an added or changed object: none when this version is known, since watches repeat events.
     */
    stored(object: KubernetesObject): readonly ObjectChange[] {
      const key = namespacedName(object.metadata);
      const changes = differences(key, known.get(key), object);
      known.set(key, versionOf(object));
      return changes;
    },

    deleted(object: KubernetesObject): readonly ObjectChange[] {
      return known.delete(namespacedName(object.metadata)) ? [{ verb: "delete", object }] : [];
    },

    /** Starts a comparison with a new list of all objects. */
    relisted() {
      const listed = new Map<string, Version>();
      return {
        listed(object: KubernetesObject): readonly ObjectChange[] {
          const key = namespacedName(object.metadata);
          listed.set(key, versionOf(object));
          const changes = differences(key, known.get(key), object);
          known.set(key, versionOf(object));
          return changes;
        },
        /** The list was restarted: its previous items do not count. */
        restarted(): void {
          listed.clear();
        },
        /** The list is complete: objects not on it are gone. */
        complete(): readonly ObjectChange[] {
          const missing = [...known].filter(([key]) => !listed.has(key));
          known = listed;
          return missing.map(([key, version]) => gone(key, version));
        },
      };
    },
  };
}
