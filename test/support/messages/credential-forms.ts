import fc from "fast-check";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
/** Armor without its text; put together here, as are the tokens below, so that no scanner takes them for real ones. */
const armored = (what: string, text: string): string =>
  `-----${"BEGIN"} ${what}-----\n${text}\n-----END ${what}-----`;

/** Every known form of a credential, as people paste it into a field where none belongs. */
export const credentialForms: Readonly<Record<string, (secret: string) => string>> = {
  "login in a URL": (secret) => `http://robot:${secret}@127.0.0.1:1/api`,
  "login in the URL of a host without a dot": (secret) => `http://robot:${secret}@registry/v2`,
  "login with slashes in a URL": (secret) => `http://robot:a/${secret}/b@127.0.0.1:1/api`,
  "user in a URL": (secret) => `http://${secret}@127.0.0.1:1/api`,
  "login in the URL of a database": (secret) => `postgres://:${secret}@db:5432/quay`,
  "login before a host": (secret) => `robot:${secret}@quay.io/acme`,
  "login before a host without a dot": (secret) => `robot:${secret}@registry/acme`,
  "login before a host with a port": (secret) => `acme+robot:${secret}@registry:5000/acme`,
  "login with an @ before a host": (secret) => `robot:p@${secret}@quay.io/acme`,
  "docker's auth": (secret) => `{"auths":{"quay.io":{"auth":"${secret}"}}}`,
  "docker's auth in base64": (secret) => `{"auths":{"registry":{"auth":"${base64(`robot:${secret}`)}"}}}`,
  "docker's auth in a JSON string": (secret) => JSON.stringify(`{"auth":"${secret}"}`),
  "a .dockerconfigjson": (secret) => base64(`{"auths":{"quay.io":{"password":"${secret}"}}}`),
  "a password with spaces": (secret) => `{"password":"with spaces ${secret}"}`,
  "a password in indented JSON": (secret) => JSON.stringify({ user: "a", password: secret }, null, 2),
  "client-key-data": (secret) => `client-key-data: ${secret}`,
  "a token of a kubeconfig": (secret) => `users:\n- name: admin\n  user:\n    token: ${secret}\n`,
  "a kubeconfig's user in braces": (secret) => `{name: admin, user: {client: a, token: ${secret}}}`,
  "a YAML password": (secret) => `password: ${secret}`,
  "a YAML password with spaces": (secret) => `password: correct ${secret}`,
  "a YAML block": (secret) => `password: |\n  first line\n  ${secret}\n`,
  "a folded YAML block": (secret) => `stringData:\n  token: >-\n    ${secret}\n`,
  "a key of a list in YAML": (secret) => `- apiKey: '${secret}'`,
  "a parameter pass": (secret) => `http://127.0.0.1:1/api?pass=${secret}`,
  "a parameter sig": (secret) => `http://127.0.0.1:1/api?sv=1&sig=${secret}&se=2`,
  "a parameter token": (secret) => `http://127.0.0.1:1/api?token=${secret}`,
  "a parameter X-Amz-Signature": (secret) => `http://127.0.0.1:1/a?X-Amz-Signature=${secret}`,
  "a variable": (secret) => `export REGISTRY_PASSWORD=${secret}`,
  "a variable in quotes": (secret) => `DB_PASS="with spaces ${secret}"`,
  "AWS's secret key": (secret) => `aws_secret_access_key = ${secret}`,
  "a key of Azure": (secret) => `AccountName=a;AccountKey=${secret};EndpointSuffix=b`,
  "an Authorization header": (secret) => `Authorization: Basic ${secret}`,
  "an Authorization header in base64": (secret) => `Authorization: Basic ${base64(`robot:${secret}`)}`,
  "an Authorization header in a command": (secret) => `curl -H "Authorization: Token ${secret}" quay.io`,
  "Basic without its header": (secret) => `Basic ${base64(`robot:${secret}`)}`,
  "Basic in a sentence": (secret) => `sent Basic ${base64(`a:${secret}`)} to the registry`,
  "a bearer token": (secret) => `bearer ${secret}`,
  "a cookie": (secret) => `GET / Cookie: theme=dark; session=${secret}`,
  "a header X-Auth-Token": (secret) => `X-Auth-Token:${secret}`,
  "the option --password": (secret) => `docker login --password ${secret} quay.io`,
  "the option --password=": (secret) => `podman login --username a --password=${secret}`,
  "the option --token": (secret) => `oc login --token ${secret} --server https://api`,
  "the option --src-creds": (secret) => `skopeo copy --src-creds robot:${secret} a b`,
  "the option -u": (secret) => `curl -u robot:${secret} https://quay.io`,
  "the option --user": (secret) => `curl --user 'robot:${secret}' https://quay.io`,
  "the option -p of a login": (secret) => `docker login -u robot -p ${secret} quay.io`,
  "a line of netrc": (secret) => `machine quay.io login robot password ${secret}`,
  "lines of netrc": (secret) => `machine quay.io\n  login robot\n  password ${secret}\n`,
  "a line of htpasswd": (secret) => `robot:$2y$05$${secret}`,
  "an element of XML": (secret) => `<server><password>${secret}</password></server>`,
  "a private key": (secret) => armored("PRIVATE KEY", secret),
  "an RSA key": (secret) => armored("RSA PRIVATE KEY", secret),
  "an OpenSSH key": (secret) => armored("OPENSSH PRIVATE KEY", secret),
  "a PGP key": (secret) => armored("PGP PRIVATE KEY BLOCK", `\n${secret}`),
  "a key in base64": (secret) => base64(armored("RSA PRIVATE KEY", secret)),
  "a JSON web token": (secret) => `eyJhbGciOiJSUzI1NiJ9.${secret}.${secret}`,
  "an OpenShift token": (secret) => `sha256~${secret}`,
  "AWS's key id": (secret) => `AKIA${secret.toUpperCase().slice(0, 16)}`,
  "a GitHub token": (secret) => `ghp_${secret}`,
  "a fine-grained GitHub token": (secret) => `github_pat_${secret}`,
  "a GitLab token": (secret) => `glpat-${secret}`,
  "an npm token": (secret) => `npm_${secret}`,
  "a Docker token": (secret) => `dckr_pat_${secret}`,
  "a Vault token": (secret) => `hvs.${secret}`,
  "a Google key": (secret) => `AIza${secret}`,
  "a Slack token": (secret) => `xoxb-${secret}`,
  "a token of PyPI": (secret) => `pypi-${secret}`,
};

/** Values of secrets: they mix capitals and digits, as issued tokens do, by which a token differs from a name. */
export const aSecret = fc
  .stringMatching(/^[A-Za-z][A-Za-z0-9]{25}$/)
  .filter((text) => /[A-Z]\d.*[A-Z]/.test(text));

/** Returns what of a secret of ASCII letters and digits an output must not contain: itself, and its forms in base64. */
export function tracesOf(secret: string): readonly string[] {
  // The bytes around a text change the ends of its form in base64.
  const encoded = ["", "a", "aa"].map((before) =>
    base64(before + secret).slice(
      Math.ceil((before.length * 8) / 6),
      Math.floor(((before.length + secret.length) * 8) / 6),
    ),
  );
  return [secret, secret.toUpperCase().slice(0, 16), ...encoded];
}
