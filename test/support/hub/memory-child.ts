import { openDirectoryHub } from "#shared/adapters/hub/directory/directory-hub.ts";
import { kinds } from "#shared/domain/kubernetes/object.ts";

/** Opens the hub in a folder; prints how many mirror sets it has, and the most memory that the process used in MiB. */
const [directory = ""] = process.argv.slice(2);
const hub = openDirectoryHub(directory);
const { length } = await hub.list(kinds.ImageDigestMirrorSet);
hub.close();
console.log(JSON.stringify({ length, mib: Math.round(process.resourceUsage().maxRSS / 1024) }));
