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
    { entry: "*", server: "https://hub.lan:6443", isDirect: true },
    { entry: "hub.lan", server: "https://hub.lan:6443", isDirect: true },
    { entry: "HUB.lan", server: "https://Hub.LAN:6443", isDirect: true },
    { entry: "lan", server: "https://hub.lan:6443", isDirect: true },
    { entry: ".lan", server: "https://hub.lan:6443", isDirect: true },
    { entry: "*.lan", server: "https://hub.lan:6443", isDirect: true },
    { entry: ".hub.lan", server: "https://hub.lan:6443", isDirect: false },
    { entry: "ub.lan", server: "https://hub.lan:6443", isDirect: false },
    { entry: "hub.lan:6443", server: "https://hub.lan:6443", isDirect: true },
    { entry: "hub.lan:443", server: "https://hub.lan:6443", isDirect: false },
    { entry: "hub.lan:443", server: "https://hub.lan", isDirect: true },
    { entry: "other.example.com, .svc ,10.0.0.0/8", server: "https://10.4.0.1", isDirect: true },
    { entry: "10.0.0.0/8", server: "https://11.4.0.1", isDirect: false },
    { entry: "10.0.0.0/99", server: "https://10.4.0.1", isDirect: false },
    { entry: "10.4.0.1", server: "https://10.4.0.1:6443", isDirect: true },
    { entry: "fd00::/8", server: "https://[fd00::1]:6443", isDirect: true },
    { entry: "[fd00::1]:6443", server: "https://[fd00::1]:6443", isDirect: true },
    { entry: "fd00::2", server: "https://[fd00::1]:6443", isDirect: false },
    { entry: "", server: "https://hub.lan:6443", isDirect: false },
  ])(
    "When NO_PROXY is $entry, a way to $server should be direct: $isDirect",
    ({ entry, server, isDirect }) => {
      const proxy = proxyFor(new URL(server), { ...proxied, NO_PROXY: entry });
      expect(proxy === undefined).toBe(isDirect);
    },
  );
});
