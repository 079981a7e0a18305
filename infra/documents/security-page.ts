import type { SecurityClaim } from "../../test/claims/claims.ts";
import { table, withGeneratedPart } from "./generated-part.ts";

const inCode = (text: string): string => `\`${text}\``;

function testsOf({ breaks, unbroken, others }: SecurityClaim): string {
  const tests = breaks.map(({ test, fails }) => `${inCode(test)}: ${fails}`);
  const elsewhere = others.map(inCode).join(", ");
  return [
    ...new Set(tests),
    ...(unbroken ? [`not proven, since ${unbroken}: ${elsewhere}`] : []),
    ...(!unbroken && elsewhere ? [`also ${elsewhere}`] : []),
  ].join("<br>");
}

/** Returns the page about security with its table of claims replaced. */
export function withClaims(page: string, claims: readonly SecurityClaim[]): string {
  const rows = claims.map((one) => [one.claim, one.keeps, testsOf(one)]);
  return withGeneratedPart(page, table(["claim", "who is kept from what", "test"], rows));
}
