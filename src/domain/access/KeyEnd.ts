/** The refusal of a key that was valid once. */
import { DateTime } from "effect"
import { Unauthorized } from "../../../schema/Errors.ts"

/** When a key was revoked and when it expires; null if it is not revoked or never expires. */
export interface KeyTimes {
  readonly revokedAt: DateTime.Utc | null
  readonly expiresAt: DateTime.Utc | null
}

const hint = "Use another key, or create one with create_api_key, POST /api/v1/api-keys"

/** To the second, which is as precise as a reader needs. */
const shown = (at: DateTime.Utc): string => DateTime.formatIso(at).replace(/\.\d+Z$/, "Z")

const ended = (what: "expired" | "was revoked", at: DateTime.Utc) =>
  new Unauthorized({
    message: `This key ${what} at ${shown(at)}`,
    hint,
    details: what === "expired" ? { expiredAt: DateTime.formatIso(at) } : { revokedAt: DateTime.formatIso(at) }
  })

/** The refusal of a stored key; null if it has not ended. Of two ends, the first counts. */
export const keyEnd = ({ expiresAt, revokedAt }: KeyTimes, now: DateTime.Utc): Unauthorized | null => {
  const expired = expiresAt !== null && DateTime.lessThanOrEqualTo(expiresAt, now) ? expiresAt : null
  if (revokedAt !== null && (expired === null || DateTime.lessThan(revokedAt, expired))) return ended("was revoked", revokedAt)
  return expired === null ? null : ended("expired", expired)
}
