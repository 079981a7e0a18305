import type { Access } from "../../../domain/kubernetes/access.ts";
import { fieldsOf, listOf, textOf } from "../../../domain/kubernetes/json/values.ts";
import { grantsOfReview } from "../../../domain/kubernetes/roles.ts";
import { HubError } from "../../../ports/hub.ts";
import { isAbsent } from "./api-error.ts";
import type { ApiRequest, Connection } from "./connection.ts";

export type ServiceAccount = Readonly<{ namespace: string; name: string }>;

/** Requests about the server itself and about the caller's permissions. Every failure is a `HubError`. */
export type HubInspection = Readonly<{
  /** Returns the server's version, such as `v1.33.2`, and the time on the server's clock. */
  version(): Promise<Readonly<{ version: string; serverTime: Date | undefined }>>;
  /** Returns the caller's user name. Undefined if the server does not report it, as before Kubernetes 1.28. */
  user(): Promise<string | undefined>;
  /** Returns the plural names of the resources of a group version. Undefined if the server lacks that version. */
  resources(apiVersion: string): Promise<ReadonlySet<string> | undefined>;
  /** Reports whether the caller has a permission or, if `account` is given, whether that ServiceAccount has it. */
  isAllowed(access: Access, account?: ServiceAccount): Promise<boolean>;
  /** Returns the caller's permissions in a namespace (SelfSubjectRulesReview). The server's list may be incomplete. */
  grantsIn(namespace: string): Promise<readonly Access[]>;
}>;

const authorization = "/apis/authorization.k8s.io/v1";

function attributesOf({ verb, group, resource, namespace, name }: Access) {
  const [plural, subresource] = resource.split("/");
  return {
    verb,
    group,
    resource: plural,
    ...(subresource ? { subresource } : {}),
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
  };
}

function subjectOf({ namespace, name }: ServiceAccount) {
  const user = `system:serviceaccount:${namespace}:${name}`;
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return { user, groups };
}

/** Returns the requests of `HubInspection` over a connection. The requests change nothing on the server. */
export function inspection(connection: Connection): HubInspection {
  const review = (kind: string, plural: string, path: string, spec: unknown): ApiRequest => ({
    what: `create ${kind}`,
    method: "POST",
    path: `${path}/${plural}`,
    body: { apiVersion: path.replace("/apis/", ""), kind, spec },
  });

  async function found(request: ApiRequest): Promise<unknown> {
    try {
      return await connection.send(request);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  return {
    async version() {
      const request: ApiRequest = { what: "get the version", method: "GET", path: "/version" };
      const version = textOf(fieldsOf(await connection.send(request)).gitVersion);
      if (!version)
        throw new HubError("Unavailable", "get the version: the response is not from a Kubernetes API");
      return { version, serverTime: connection.time() };
    },

    async user() {
      const path = "/apis/authentication.k8s.io/v1";
      const content = await found(review("SelfSubjectReview", "selfsubjectreviews", path, undefined));
      return textOf(fieldsOf(fieldsOf(fieldsOf(content).status).userInfo).username);
    },

    async resources(apiVersion) {
      const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const content = await found({ what: `list the resources of ${apiVersion}`, method: "GET", path });
      if (content === undefined) return undefined;
      return new Set(
        listOf(fieldsOf(content).resources).flatMap((resource) => textOf(fieldsOf(resource).name) ?? []),
      );
    },

    async isAllowed(access, account) {
      const resourceAttributes = attributesOf(access);
      const request = account
        ? review("SubjectAccessReview", "subjectaccessreviews", authorization, {
            ...subjectOf(account),
            resourceAttributes,
          })
        : review("SelfSubjectAccessReview", "selfsubjectaccessreviews", authorization, {
            resourceAttributes,
          });
      return fieldsOf(fieldsOf(await connection.send(request)).status).allowed === true;
    },

    async grantsIn(namespace) {
      const request = review("SelfSubjectRulesReview", "selfsubjectrulesreviews", authorization, {
        namespace,
      });
      return grantsOfReview(fieldsOf(fieldsOf(await found(request)).status).resourceRules);
    },
  };
}
