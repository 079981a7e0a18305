import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type DirectoryHub, openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import type { Issue } from "#shared/domain/issues/issue.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { watching } from "./watching.ts";

/** An ImageDigestMirrorSet as a person writes it, comments included. */
export const mirrorSet = (name: string, mirror = "m1.example.com") => `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: ${name}
spec:
  imageDigestMirrors:
  - source: quay.io/acme # the vendor
    mirrors: [${mirror}]
`;

/** The current mirror of such an object. */
export const mirrorOf = ({ spec }: KubernetesObject): string =>
  /m\d+\.example\.com/.exec(JSON.stringify(spec))?.[0] ?? "";

/** A folder that people edit, new for each test of the calling file, and the hub that is opened on it. */
export function peopleFolder() {
  let directory = "";
  let hub: DirectoryHub | undefined;
  let issues: Issue[] = [];
  let fixed: Issue[] = [];
  let stop = new AbortController();
  beforeEach(async () => {
    directory = await temporaryFolder();
    issues = [];
    fixed = [];
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    hub?.close();
    hub = undefined;
  });
  const openHub = (): DirectoryHub => {
    hub = openDirectoryHub(directory, {
      onIssue: (issue) => issues.push(issue),
      onFixed: (issue) => fixed.push(issue),
    });
    return hub;
  };
  const opened = (): DirectoryHub => {
    if (!hub) throw new Error("this test has opened no hub");
    return hub;
  };
  return {
    get directory() {
      return directory;
    },
    /** The hub that was opened last. */
    get hub() {
      return opened();
    },
    /** The issues that a change of the files has removed. */
    get fixed() {
      return fixed;
    },
    /** The issues that it has reported. */
    get issues() {
      return issues;
    },
    at: (path: string) => join(directory, path),
    openHub,
    /** An ImageDigestMirrorSet that must exist. */
    async get(name: string): Promise<KubernetesObject> {
      const object = await opened().get(kinds.ImageDigestMirrorSet, name);
      if (!object) throw new Error(`${name} is not there`);
      return object;
    },
    /** The names of all of them. */
    async names(): Promise<readonly string[]> {
      return (await opened().list(kinds.ImageDigestMirrorSet)).map(({ metadata }) => metadata.name);
    },
    /** A watch of them that has reported all present objects. */
    async watch() {
      const running = watching(opened(), kinds.ImageDigestMirrorSet, stop.signal, "");
      await running.until("synced");
      return running;
    },
  };
}
