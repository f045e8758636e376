/**
 * Decides about a refresh token. It works once; one that was used before was copied, so its grant ends (RFC 9700, 4.14.2). An app
 * that sends one twice at nearly the same time, or that lost the answer, gets another instead: it cannot know better.
 */
import { DateTime, Duration } from "effect"

export type RefreshVerdict = "rotate" | "again" | "reused"

/** How long the token before the newest may be sent again, while no newer one was used. */
const repeatedWithin = Duration.seconds(30)

export interface RefreshTokens {
  /** Those that were given last: several if the one before was sent again. */
  readonly present: ReadonlyArray<string>
  readonly previous: ReadonlyArray<string>
  readonly rotatedAt: DateTime.Utc
}

/** Tokens given for the same one before, so that repeating cannot fill the row. */
const mostAgain = 5

/** `token` belongs to the grant: it has its secret part. Tokens are compared by their hashes. */
export const refreshVerdict = (
  token: string,
  { present, previous, rotatedAt }: RefreshTokens,
  now: DateTime.Utc
): RefreshVerdict => {
  if (present.includes(token)) return "rotate"
  const isRecent = DateTime.lessThan(now, DateTime.addDuration(rotatedAt, repeatedWithin))
  return previous.includes(token) && isRecent && present.length < mostAgain ? "again" : "reused"
}
