import { describe, expect, test } from "vitest";
import { proxyFor } from "./proxy.ts";

const proxied = { HTTPS_PROXY: "http://proxy.lan:3128" };

describe("the proxy for a hub", () => {
  test.for([
    { title: "there is none", server: "https://hub.lan:6443", environment: {}, proxy: undefined },
    {
      title: "one is set",
      server: "https://hub.lan:6443",
      environment: proxied,
      proxy: "http://proxy.lan:3128",
    },
    {
      title: "it is set in lower case, without a scheme",
      server: "https://hub.lan:6443",
      environment: { https_proxy: "proxy.lan:3128" },
      proxy: "http://proxy.lan:3128",
    },
    {
      title: "it is for plain http only",
      server: "https://hub.lan:6443",
      environment: { HTTP_PROXY: "http://proxy.lan:3128" },
      proxy: undefined,
    },
    {
      title: "the server is on this machine",
      server: "https://127.0.0.1:6443",
      environment: proxied,
      proxy: undefined,
    },
    {
      title: "it is this machine by name",
      server: "https://localhost:6443",
      environment: proxied,
      proxy: undefined,
    },
    {
      title: "it is this machine in IPv6",
      server: "https://[::1]:6443",
      environment: proxied,
      proxy: undefined,
    },
  ])("When $title, it should be $proxy", ({ server, environment, proxy }) => {
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
