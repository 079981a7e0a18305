import fc from "fast-check";
import { expect, test } from "vitest";
import { eventLabels } from "#functions/hosted-clusters/well-known-names.ts";
import { aHostedCluster } from "#shared/domain/hosted-clusters/fixtures.ts";
import { type KubernetesObject, kinds } from "#shared/domain/kubernetes/object.ts";
import { upgradeForecast } from "#shared/domain/precache-progress/fleet/checked-fleets.ts";
import { windowObject } from "#shared/domain/windows/fixtures.ts";
import type { Verification } from "#shared/runtime/verify.ts";
import { aFleet, snapshotOf } from "../../test/support/console/console-snapshots.ts";
import { hypershiftFinalizer } from "../../test/support/hosted-clusters/hosted-cluster-hub.ts";
import { inheritedNames } from "../../test/support/outside-names/inherited-names.ts";
import { aManagedCluster } from "../../test/support/precache/precache-plan-objects.ts";
import { aReadinessReport } from "../../test/support/ready/readiness-reports.ts";
import { address } from "../model/snapshot.ts";
import { keptForecasts } from "../server/kept-forecasts.ts";
import { pageText } from "./html.ts";
import { pageNames } from "./layout.ts";
import { renderPage } from "./render-page.ts";

/** What a text must not become: an element, an attribute, an end of either, or a change of the direction of text. */
const pieces = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "\"><svg onload='x'>",
  "' onfocus=x autofocus '",
  "javascript:alert(1)",
  "</main></template>",
  "<!--",
  "]]>",
  "&lt;b&gt;",
  "\u202e\u2066\u200f",
  "\u0000\u0001c0-0\u0002\u001b[31m",
  "a".repeat(253),
  "\ud83d\ude00é",
  "\ud800",
];
const hostile = fc.oneof(
  fc.shuffledSubarray(pieces, { minLength: 5 }).map((some) => some.join("")),
  fc.constantFrom(...inheritedNames),
);

/** What a person may have written there. */
function annotationsOf(text: string): Readonly<Record<string, string>> {
  const outcome = { specversion: "1.0", type: text, source: text, subject: text, id: text };
  const more = { time: "2026-03-01T02:00:00Z", data: { [text]: text } };
  return {
    "hubrelay.dev/correlation-id": text,
    "hubrelay.dev/outcomes": JSON.stringify([{ ...outcome, ...more }]),
  };
}

function hub(text: string): readonly KubernetesObject[] {
  const fleet = aFleet(
    {
      [text]: { state: "UnrecoverableError", reason: text as never, message: text },
      [`${text}2`]: { state: "Active", reason: text as never, message: text },
    },
    { name: text, annotations: { "hubrelay.dev/site-label": text } },
  );
  const rule = { source: `quay.io/${text}`, mirrors: [text, "mirror.example.com/a"] };
  const { apiVersion, kind } = kinds.ImageDigestMirrorSet;
  return [
    ...fleet,
    ...fleet.slice(0, 1).map((cgu) => {
      const problems = [{ text, isMissing: true }];
      return aReadinessReport(cgu, { [text]: "missing" }, "2026-03-01T02:00:00Z", { problems });
    }),
    aManagedCluster(text, { labels: { [text]: text } }),
    { ...windowObject({ clusterSelector: {} }), metadata: { namespace: text, name: text } },
    { apiVersion, kind, metadata: { name: text }, spec: { imageDigestMirrors: [rule] } },
    aHostedCluster({
      name: text,
      metadata: { namespace: text, finalizers: [hypershiftFinalizer] },
      spec: { imageContentSources: [rule], capabilities: { enabled: [text] }, olmCatalogPlacement: text },
    }),
    {
      apiVersion: "v1",
      kind: "Event",
      metadata: {
        namespace: text,
        name: text,
        labels: eventLabels(`${text}/${text}`),
        annotations: annotationsOf(text),
      },
      type: text,
      reason: text,
      message: text,
      firstTimestamp: text,
      lastTimestamp: "2026-03-01T02:00:00Z",
      involvedObject: { kind: text, namespace: text, name: text },
    },
  ];
}

function verificationOf(text: string, of: Pick<Verification, "function" | "key">): Verification {
  const issue = {
    code: text as never,
    severity: "error",
    object: { kind: text, name: text },
    path: text,
  } as const;
  return {
    ...of,
    decisions: [{ subject: text, verdict: text, reason: text, owner: text, differences: [text] }],
    writes: [],
    issues: [{ ...issue, value: text, message: text, remedy: text }],
    differs: true,
  };
}

/** The names of elements and attributes of a page, which no text may add to. */
function structure(page: string): ReadonlySet<string> {
  const tags = [...page.matchAll(/<(\/?[a-z!][^\s>]*)((?:[^>"]|"[^"]*")*)>/gi)];
  return new Set(
    tags.flatMap(([, name = "", rest = ""]) => [
      name,
      ...[...rest.matchAll(/\s([^\s=>"]+)(?:="[^"]*")?/g)].map(([, attribute]) => `@${attribute}`),
    ]),
  );
}

test("When names and messages are hostile, every page should show them as text, and link nowhere else", () => {
  const queries = (text: string) => [
    {
      upgrade: `default/${text}`,
      cluster: text,
      site: text,
      reason: text,
      window: text,
      image: text,
      source: text,
    },
    { upgrade: `default/${text}`, cluster: text, by: text, [text]: text },
    { cluster: `${text}/${text}` },
    { chain: text, object: text, function: "hosted-clusters" },
    { chain: `${text}2`, kind: text },
    { image: `quay.io/${text}/a:1`, source: `ImageDigestMirrorSet/${text}` },
  ];
  const pagesOf = (text: string) => {
    const snapshot = snapshotOf(hub(text), {
      forecastOf: keptForecasts(upgradeForecast, () => 0).forecastOf,
      verifications: [
        verificationOf(text, { function: text, key: text }),
        verificationOf(text, { function: "hosted-clusters", key: `${text}/${text}` }),
      ],
    });
    return pageNames.flatMap(({ path }) =>
      queries(text).map((query) => pageText(renderPage(path, query, snapshot))),
    );
  };
  const harmless = pagesOf("name").map(structure);
  const known = new Set(harmless.flatMap((one) => [...one]));
  fc.assert(
    fc.property(hostile, (text) => {
      for (const page of pagesOf(text)) {
        expect([...structure(page)].filter((name) => !known.has(name))).toEqual([]);
        expect(page).not.toMatch(/[^\P{Cc}\n]|[\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u);
        for (const [, to = ""] of page.matchAll(/(?:href|src|action)="([^"]*)"/g))
          expect(to).toMatch(/^[/#](?!\/)/);
      }
    }),
    { numRuns: 10 },
  );
});

test("When a page has a long name, it should be shown in full", () => {
  const name = "a".repeat(253);
  const page = pageText(renderPage("/precaching", { cluster: name }, snapshotOf(aFleet({ [name]: {} }))));
  expect(page).toContain(`<h2 id="panel-title" class="pf-v6-c-card__title-text">${name}</h2>`);
});

test("When an address has names, it should lead back to them", () => {
  const name = "a&b=c #<>\"'ü/ ";
  const to = address("/precaching", { upgrade: name, state: "", site: undefined });
  expect(Object.fromEntries(new URL(to, "http://console").searchParams)).toEqual({ upgrade: name });
});

test.for(pageNames)("When the hub is empty, $title should say what would be here", ({ path }) => {
  const page = pageText(renderPage(path, {}, snapshotOf([])));
  expect(page).toMatch(/\bHere (?:is|are) /);
});
