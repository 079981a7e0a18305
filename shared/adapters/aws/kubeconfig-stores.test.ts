import { expect, onTestFinished, test } from "vitest";
import { type ScriptedResponse, scriptedServer } from "../../../test/support/servers/scripted-server.ts";
import { openKubeconfigStore } from "./kubeconfig-stores.ts";

const headers = { "content-type": "application/x-amz-json-1.1" };
const found = (body: unknown) => ({ headers, body: JSON.stringify(body) });
const absent = { headers, status: 400, body: '{"__type":"ResourceNotFoundException","message":"not there"}' };
const key = "arn:aws:kms:eu-central-1:123456789012:key/own";

async function aStore(from: "secretsmanager" | "parameterstore", ...responses: readonly ScriptedResponse[]) {
  const { endpoint, requests } = await scriptedServer(...responses);
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const connection = { region: "eu-central-1", endpoint, credentials };
  const store = openKubeconfigStore({ from, prefix: "/hubrelay/prod" }, connection, key);
  onTestFinished(() => store.close());
  return { store, sent: () => requests.map((body) => JSON.parse(body)) };
}

test("When a secret is neither there nor can be created, as with a key that does not exist, it should not count as written", async () => {
  const { store } = await aStore("secretsmanager", absent);
  await expect(store.write("resync", "planted")).rejects.toThrow(
    "The secret /hubrelay/prod/resync cannot be written: ResourceNotFoundException: not there",
  );
});

test("When a parameter has a key of its own, its new version should have it too, on whichever page it is", async () => {
  const { store, sent } = await aStore(
    "parameterstore",
    found({ Parameters: [], NextToken: "more" }),
    found({ Parameters: [{ Name: "/hubrelay/prod/resync", KeyId: "alias/company" }] }),
    found({ Version: 2 }),
  );
  await store.write("resync", "planted");
  expect(sent().at(-1)).toMatchObject({ Value: "planted", KeyId: "alias/company", Overwrite: true });
});

test("When a parameter is new, it should have the key that was given", async () => {
  const { store, sent } = await aStore("parameterstore", found({ Parameters: [] }), found({ Version: 1 }));
  await store.write("resync", "planted");
  expect(sent().at(-1)).toMatchObject({ KeyId: key });
});
