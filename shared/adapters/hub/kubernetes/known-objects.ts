import {
  type Kind,
  type KubernetesObject,
  namespacedName,
  parseNamespacedName,
} from "../../../domain/kubernetes/object.ts";
import type { ObjectChange } from "../../../ports/hub.ts";

/** Returns uid and version in one string. `join` copies them; a template would keep the parts as well. */
function versionOf({ metadata: { uid = "", resourceVersion = "" } }: KubernetesObject): string {
  return [uid, resourceVersion].join(" ");
}

function parts(version: string): Readonly<{ uid: string; resourceVersion: string }> {
  const space = version.indexOf(" ");
  return { uid: version.slice(0, space), resourceVersion: version.slice(space + 1) };
}

/**
 * The objects that a watch of one kind has reported: two strings for each, so that a hundred thousand objects take 25
 * MiB. Turns events and lists of the server into changes.
 */
export function knownObjects({ apiVersion, kind }: Kind) {
  /** Versions by namespace and name. */
  const known = new Map<string, string>();

  /** The identity is all that is known of an object whose deletion was missed. */
  function gone(key: string, version: string): ObjectChange {
    const { namespace, name } = parseNamespacedName(key);
    const metadata = { name, ...(namespace ? { namespace } : {}), ...parts(version) };
    return { verb: "delete", object: { apiVersion, kind, metadata } };
  }

  function stored(object: KubernetesObject): readonly ObjectChange[] {
    const key = namespacedName(object.metadata);
    const before = known.get(key);
    const now = versionOf(object);
    if (before === now) return [];
    known.set(key, now);
    if (before === undefined) return [{ verb: "add", object }];
    if (parts(before).uid !== object.metadata.uid) return [gone(key, before), { verb: "add", object }];
    return [{ verb: "update", object }];
  }

  return {
    /**
     * Returns the change for an added or changed object: none when this version is known, since watches repeat events.
     */
    stored,

    deleted(object: KubernetesObject): readonly ObjectChange[] {
      return known.delete(namespacedName(object.metadata)) ? [{ verb: "delete", object }] : [];
    },

    /** Starts a comparison with a new list of all objects. */
    relisted() {
      let unlisted = new Set(known.keys());
      return {
        listed(object: KubernetesObject): readonly ObjectChange[] {
          unlisted.delete(namespacedName(object.metadata));
          return stored(object);
        },
        /** The list was restarted: its previous items do not count. */
        restarted(): void {
          unlisted = new Set(known.keys());
        },
        /** The list is complete: objects not on it are gone. */
        complete(): readonly ObjectChange[] {
          return [...unlisted].map((key) => {
            const change = gone(key, known.get(key) ?? "");
            known.delete(key);
            return change;
          });
        },
      };
    },
  };
}
