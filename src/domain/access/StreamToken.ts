/** Signed tokens that open the live stream where no header can be sent: they name a key, hold no secret, and end soon. */
import { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import { derivedKey } from "../tools/Sealed.ts"
import { signed, verified } from "./SignedText.ts"

/** The lifetime of a token, s: longer than a stream, so that it still admits a browser that reconnects after one. */
export const streamTokenLifetimeSec = 900

export const streamTokenKey = (secret: string): Uint8Array => derivedKey(secret, "belltower/stream-token/v1")

/** The API key in whose name a token opens the stream. */
interface StreamGrant {
  readonly workspaceId: WorkspaceId
  readonly keyId: ApiKeyId
  /** ms since 1970. */
  readonly expiresAt: number
}

export const makeStreamToken = (key: Uint8Array, { expiresAt, keyId, workspaceId }: StreamGrant): string =>
  signed(key, `${Math.floor(expiresAt / 1000).toString(36)}.${workspaceId}.${keyId}`)

/** The grant in a token; null if this deployment did not sign it. The caller compares `expiresAt`. */
export const readStreamToken = (key: Uint8Array, token: string): StreamGrant | null => {
  const [, expirySec, workspaceId, keyId] = /^([0-9a-z]{1,8})\.(ws_\w{1,40})\.(key_\w{1,40})$/.exec(verified(key, token) ?? "") ??
    []
  if (expirySec === undefined || workspaceId === undefined || keyId === undefined) return null
  return {
    workspaceId: WorkspaceId.make(workspaceId),
    keyId: ApiKeyId.make(keyId),
    expiresAt: parseInt(expirySec, 36) * 1000
  }
}
