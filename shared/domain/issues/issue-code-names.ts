import { type IssueCode, issueCodes } from "./issue-codes.ts";

/** Reports whether a text is the code of an issue. */
export function isIssueCode(text: string): text is IssueCode {
  return Object.values(issueCodes).some((codes) => Object.hasOwn(codes, text));
}

/** The codes of all issues, in the order of their register. */
export const issueCodeNames: readonly IssueCode[] = Object.values(issueCodes)
  .flatMap((codes) => Object.keys(codes))
  .filter(isIssueCode);
