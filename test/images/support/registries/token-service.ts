import { sign, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";
import { listenOnFreePort } from "../../../support/servers/free-port.ts";
import type { Certificate } from "./registry.ts";

/** The user that the service knows: by a password, and by the identity token of a login. */
export type TokenUser = Readonly<{ user: string; password: string; identityToken: string }>;

export type TokenService = AsyncDisposable &
  Readonly<{
    realm: string;
    service: string;
    issuer: string;
    certificate: string;
    /** Returns a token of this service, to pull from these repositories. */
    tokenToPull(repositories: readonly string[]): string;
  }>;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Parses `repository:PATH:ACTION,…` as the access that a token grants. */
function accessOf(scope: string): readonly unknown[] {
  const [type = "", name = "", actions = ""] = scope.split(":");
  return scope === "" ? [] : [{ type, name, actions: actions.split(",") }];
}

/**
 * Issues tokens as public registries do: for a password (GET) or an identity token (POST); all other requests get 401.
 * Source: distribution, token authentication and its JSON Web Tokens.
 */
export async function startTokenService(
  { user, password, identityToken }: TokenUser,
  { certificate, key }: Certificate,
): Promise<TokenService> {
  const [pem, secret] = await Promise.all([readFile(certificate), readFile(key)]);
  const [service, issuer] = ["registry.tests", "tokens.tests"];
  const header = encoded({
    typ: "JWT",
    alg: "ES256",
    x5c: [new X509Certificate(pem).raw.toString("base64")],
  });

  function tokenFor(scopes: readonly string[]): string {
    const now = Math.floor(Date.now() / 1000);
    const access = scopes.flatMap((scope) => accessOf(scope));
    const claims = { iss: issuer, sub: user, aud: service, iat: now, nbf: now - 60, exp: now + 300, access };
    const signed = `${header}.${encoded(claims)}`;
    const signature = sign("sha256", Buffer.from(signed), { key: secret, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  }

  const basic = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const server = createServer({ cert: pem, key: secret }, async (request, response) => {
    const isForm = request.method === "POST";
    const query = new URL(request.url ?? "", "https://localhost").search;
    const form = new URLSearchParams(isForm ? await text(request) : query);
    const isKnown = isForm
      ? form.get("refresh_token") === identityToken
      : request.headers.authorization === basic;
    const scopes = form.getAll("scope").flatMap((scope) => scope.split(" "));
    const token = isKnown ? tokenFor(scopes) : undefined;
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify({ token, access_token: token }));
  });
  const port = await listenOnFreePort(server);
  return {
    realm: `https://localhost:${port}/token`,
    service,
    issuer,
    certificate,
    tokenToPull: (repositories) => tokenFor(repositories.map((path) => `repository:${path}:pull`)),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
