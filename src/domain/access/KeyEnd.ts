/** The refusal of a key that was valid once. */
import { DateTime } from "effect"
import { Unauthorized } from "../../../schema/Errors.ts"

/** When a key was revoked and when it expires; null if it is not revoked or never expires. */
export interface KeyTimes {
  /** When its workspace was deleted; null if it is not. */
  readonly deletedAt: DateTime.Utc | null
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

const workspaceDeleted = (at: DateTime.Utc) =>
  new Unauthorized({
    message: `The workspace of this key was deleted at ${shown(at)}`,
    hint:
      "For 7 days restore_workspace restores it, with the restoreToken of its deletion, or a signed-in owner in the dashboard",
    details: { deletedAt: DateTime.formatIso(at) }
  })

/** The refusal of a stored key; null if it has not ended. Of two ends, the first counts. */
export const keyEnd = ({ deletedAt, expiresAt, revokedAt }: KeyTimes, now: DateTime.Utc): Unauthorized | null => {
  if (deletedAt !== null) return workspaceDeleted(deletedAt)
  const expired = expiresAt !== null && DateTime.lessThanOrEqualTo(expiresAt, now) ? expiresAt : null
  if (revokedAt !== null && (expired === null || DateTime.lessThan(revokedAt, expired))) return ended("was revoked", revokedAt)
  return expired === null ? null : ended("expired", expired)
}
