/** The message attributes of a message that a function sends to itself because the topic did not take its outcomes. */
export const unpublishedAttributes = {
  /** How often the topic has refused already: the pause grows with it. */
  attempt: "hubrelay.unpublished",
  /** Since when the outcomes wait, as an ISO time. */
  since: "hubrelay.unpublishedSince",
} as const;
