import { describe, expect, test } from "vitest";
import { proxyFor } from "./proxy.ts";

const proxied = { HTTPS_PROXY: "http://proxy.lan:3128" };

describe("the proxy for a hub", () => {
  test.for([
    ["there is none", "https://hub.lan:6443", {}, undefined],
    ["one is set", "https://hub.lan:6443", proxied, "http://proxy.lan:3128"],
    [
      "it is set in lower case, without a scheme",
      "https://hub.lan:6443",
      { https_proxy: "proxy.lan:3128" },
      "http://proxy.lan:3128",
    ],
    ["it is for plain http only", "https://hub.lan:6443", { HTTP_PROXY: "http://proxy.lan:3128" }, undefined],
    ["the server is on this machine", "https://127.0.0.1:6443", proxied, undefined],
    ["it is this machine by name", "https://localhost:6443", proxied, undefined],
    ["it is this machine in IPv6", "https://[::1]:6443", proxied, undefined],
  ] as const)("When $0, it should be $3", ([, server, environment, proxy]) => {
    expect(proxyFor(new URL(server), environment)).toBe(proxy);
  });

  test.for([
    ["*", "https://hub.lan:6443", true],
    ["hub.lan", "https://hub.lan:6443", true],
    ["HUB.lan", "https://Hub.LAN:6443", true],
    ["lan", "https://hub.lan:6443", true],
    [".lan", "https://hub.lan:6443", true],
    ["*.lan", "https://hub.lan:6443", true],
    [".hub.lan", "https://hub.lan:6443", false],
    ["ub.lan", "https://hub.lan:6443", false],
    ["hub.lan:6443", "https://hub.lan:6443", true],
    ["hub.lan:443", "https://hub.lan:6443", false],
    ["hub.lan:443", "https://hub.lan", true],
    ["other.example.com, .svc ,10.0.0.0/8", "https://10.4.0.1", true],
    ["10.0.0.0/8", "https://11.4.0.1", false],
    ["10.0.0.0/99", "https://10.4.0.1", false],
    ["10.4.0.1", "https://10.4.0.1:6443", true],
    ["fd00::/8", "https://[fd00::1]:6443", true],
    ["[fd00::1]:6443", "https://[fd00::1]:6443", true],
    ["fd00::2", "https://[fd00::1]:6443", false],
    ["", "https://hub.lan:6443", false],
  ] as const)("When NO_PROXY is $0, a way to $1 should be direct: $2", ([entry, server, isDirect]) => {
    const proxy = proxyFor(new URL(server), { ...proxied, NO_PROXY: entry });
    expect(proxy === undefined).toBe(isDirect);
  });
});
