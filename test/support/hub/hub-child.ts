import { once } from "node:events";
import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { HubError } from "#shared/ports/hub.ts";

/**
 * A second process on the same directory. `count NAME TIMES` waits for a line, then raises a counter on an object and
 * prints how often it lost a race; `rewrite NAME` writes one object after the other until it is killed, and prints a
 * line for each write.
 */
const [directory = "", command = "", name = "", times = "0"] = process.argv.slice(2);
const hub = openDirectoryHub(directory);

async function present(): Promise<KubernetesObject> {
  const object = await hub.get(kinds.ImageDigestMirrorSet, name);
  if (!object) throw new Error(`${name} is not there`);
  return object;
}

async function count(): Promise<void> {
  console.log("ready");
  await once(process.stdin, "data");
  let conflicts = 0;
  for (let done = 0; done < Number(times); ) {
    const object = await present();
    const value = Number(object.metadata.annotations?.count) + 1;
    const metadata = { ...object.metadata, annotations: { count: String(value) } };
    try {
      await hub.update({ ...object, metadata });
      done++;
    } catch (error) {
      if (!(error instanceof HubError && error.code === "Conflict")) throw error;
      conflicts++;
    }
  }
  console.log(conflicts);
  process.stdin.destroy();
}

async function rewrite(): Promise<never> {
  for (let turn = 0; ; turn++) {
    console.log(turn);
    const { apiVersion, kind, ...object } = await present();
    await hub.update({ apiVersion, kind, ...object, spec: { turn } });
    await hub.updateStatus({ ...(await present()), status: { turn } });
    const extra = `${name}-${process.pid}-${turn}`;
    await hub.create({ apiVersion, kind, metadata: { name: extra }, spec: { turn } });
    await hub.delete({ apiVersion, kind, name: extra });
  }
}

if (command === "count") await count();
else await rewrite();
hub.close();
