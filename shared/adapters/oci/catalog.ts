import { ownValue } from "../../domain/kubernetes/json/values.ts";
import { type RegistryCatalog, RegistryError } from "../../ports/registry.ts";
import { jsonOf } from "./body.ts";
import {
  apiHost,
  type Call,
  type ImageLocation,
  locationOf,
  type RepositoryRequests,
} from "./repository-requests.ts";

const maxPageBytes = 16 * 1024 * 1024;
const maxPages = 200;

type Client = Readonly<{
  requests: RepositoryRequests;
  callFor(location: ImageLocation, access: Parameters<RegistryCatalog["tags"]>[1]): Call;
}>;

/** Returns functions that list all repositories of a registry and all tags of a repository. */
export function registryCatalog({ requests, callFor }: Client): RegistryCatalog {
  async function allNames(call: Call, list: string, field: string): Promise<readonly string[] | undefined> {
    const { host, path } = call.location;
    const url = new URL(`https://${apiHost(host)}/v2/${path}${path && "/"}${list}`);
    const names: string[] = [];
    let suffix = `${list}?n=1000`;
    for (let page = 0; page < maxPages; page++) {
      const body = await requests.fetchBody(call, suffix, { limit: maxPageBytes });
      if (!body) return undefined;
      const listed = ownValue(jsonOf(body.bytes, call.what), field);
      if (Array.isArray(listed)) names.push(...listed.filter((name) => typeof name === "string"));
      const { link } = body.response.headers;
      const [, target = ""] = /<([^<>]{1,4096})>[^,]{0,200}rel="?next"?/.exec(String(link)) ?? [];
      const next = target === "" ? null : URL.parse(target, url.href);
      // Only a link to another page of the same list is followed.
      if (next?.pathname !== url.pathname) return names;
      suffix = `${list}${next.search}`;
    }
    throw new RegistryError("InvalidResponse", `${call.what}: the list has more than ${maxPages} pages`);
  }

  return {
    async repositories(host, access) {
      const call = { ...callFor({ host, path: "", version: "" }, access), what: `the catalog of ${host}` };
      const found = await allNames(call, "_catalog", "repositories");
      if (found) return found;
      throw new RegistryError("UnexpectedStatus", `${call.what}: the registry has no catalog API`);
    },

    async tags(repository, access) {
      const location = locationOf(repository);
      const call = { ...callFor(location, access), what: `the tags of ${location.host}/${location.path}` };
      return (await allNames(call, "tags/list", "tags")) ?? [];
    },
  };
}
