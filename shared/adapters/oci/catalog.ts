import { type RegistryCatalog, RegistryError } from "../../ports/registry.ts";
import { jsonOf } from "./body.ts";
import type { RegistryResponse } from "./exchange.ts";
import {
  apiHost,
  type Call,
  type ImageLocation,
  locationOf,
  type RepositoryRequests,
} from "./repository-requests.ts";

const maxPageBytes = 16 * 1024 * 1024;
const maxPages = 200;
const namesPerPage = 1000;

/** The field of a response that has the names, by the end of the URL's path. */
const fields = { "tags/list": "tags", _catalog: "repositories" } as const;

const pathOf = ({ path }: ImageLocation, list: string): string => `/v2/${path}${path && "/"}${list}`;

/** Returns the next page from the Link header, if it is of the same list. */
function nextPage({ headers }: RegistryResponse, location: ImageLocation, list: string): string | undefined {
  const { link } = headers;
  const [, target] =
    /<([^<>]{1,4096})>[^,]{0,200}rel="?next"?/.exec(typeof link === "string" ? link : "") ?? [];
  const base = `https://${apiHost(location.host)}`;
  if (!target || !URL.canParse(target, base)) return undefined;
  const { pathname, search } = new URL(target, base);
  return pathname === pathOf(location, list) ? `${list}${search}` : undefined;
}

/** Reads all pages of a list of names; undefined if there is no such list. */
async function allNames(
  { fetchBody }: RepositoryRequests,
  call: Call,
  list: keyof typeof fields,
): Promise<readonly string[] | undefined> {
  const names: string[] = [];
  let suffix = `${list}?n=${namesPerPage}`;
  for (let page = 0; page < maxPages; page++) {
    const body = await fetchBody(call, suffix, { limit: maxPageBytes });
    if (!body) return undefined;
    const { [fields[list]]: listed } = jsonOf(body.bytes, call.what);
    if (Array.isArray(listed)) names.push(...listed.filter((name) => typeof name === "string"));
    const next = nextPage(body.response, call.location, list);
    if (next === undefined) return names;
    suffix = next;
  }
  throw new RegistryError("InvalidResponse", `${call.what}: the list has more than ${maxPages} pages`);
}

type Client = Readonly<{
  requests: RepositoryRequests;
  callFor(location: ImageLocation, access: Parameters<RegistryCatalog["tags"]>[1]): Call;
}>;

/** Returns the functions that read a registry's lists of names, all pages of each. */
export function registryCatalog({ requests, callFor }: Client): RegistryCatalog {
  return {
    async repositories(host, access) {
      const call = { ...callFor({ host, path: "", version: "" }, access), what: `the catalog of ${host}` };
      const found = await allNames(requests, call, "_catalog");
      if (found) return found;
      throw new RegistryError("UnexpectedStatus", `${call.what}: the registry has no catalog API`);
    },

    async tags(repository, access) {
      const location = locationOf(repository);
      const call = { ...callFor(location, access), what: `the tags of ${location.host}/${location.path}` };
      return (await allNames(requests, call, "tags/list")) ?? [];
    },
  };
}
