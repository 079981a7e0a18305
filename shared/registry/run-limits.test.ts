import { expect, test } from "vitest";
import { runLimits } from "./run-limits.ts";

const never = () => new Promise<string>(() => {});
const forEver = () => new AbortController().signal;

test("When as many requests were made as are allowed, further ones should fail and be named", async () => {
  const { run, cutOff } = runLimits({ requests: 2, timeUp: forEver() });
  await run("a", async () => "1");
  await run("b", async () => "2");
  await expect(run("c", async () => "3")).rejects.toThrow("c: not checked, since 2 requests were made");
  expect([...cutOff]).toEqual(["c"]);
});

test("When the time is up, requests that wait should end, and further ones should not begin", async () => {
  const time = new AbortController();
  const { run, cutOff } = runLimits({ requests: 10, timeUp: time.signal });
  const waiting = run("a", never);
  time.abort();
  await expect(waiting).rejects.toThrow("a: not checked, since the time of the run is up");
  await expect(run("b", never)).rejects.toThrow("b: not checked");
  expect([...cutOff]).toEqual(["a", "b"]);
});
