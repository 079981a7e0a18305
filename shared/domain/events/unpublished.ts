/** The attributes of a message that a function sends to its own queue when the topic did not accept its outcomes. */
export const unpublishedAttributes = {
  /** How often the topic has refused: the delay grows with it. */
  attempt: "hubrelay.unpublished",
  /** When the outcomes started to wait, as an ISO time. */
  since: "hubrelay.unpublishedSince",
} as const;
