/** Descriptions of the fields of on-call schedules, escalation policies, deploys, digests and imports. */
export const responseWords: Readonly<Record<string, string>> = {
  user: "The person; null if nobody",
  start: "When it begins",
  end: "When it ends",
  level: "The level that was paged, from 1"
}
