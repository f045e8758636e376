/** Texts that any process of a deployment can verify without shared state: signed with a key of their purpose. */
import { createHmac } from "node:crypto"
import { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import { isSameToken } from "../secret/SameToken.ts"
import { derivedKey } from "../tools/Sealed.ts"

const signature = (key: Uint8Array, text: string): string => createHmac("sha256", key).update(text, "utf8").digest("base64url")

const signed = (key: Uint8Array, text: string): string => `${text}.${signature(key, text)}`

/** The text of `signed`; null if this key did not sign it. */
const verified = (key: Uint8Array, given: string): string | null => {
  const [, text, part] = /^(.{1,200})\.([\w-]{43})$/.exec(given) ?? []
  if (text === undefined || part === undefined) return null
  return isSameToken(part, signature(key, text)) ? text : null
}

/** The lifetime of a session in seconds. Activity does not extend it; the client then starts a new session. */
const lifetimeSec = 7 * 86_400

export const sessionKey = (secret: string): Uint8Array => derivedKey(secret, "belltower/mcp-session/v1")

/** `nonce` is 16 fresh random bytes; `nowMillis` is the start of the session. */
export const makeSessionId = (key: Uint8Array, nonce: Uint8Array, nowMillis: number): string =>
  signed(key, `${Math.floor(nowMillis / 1000).toString(36)}.${Buffer.from(nonce).toString("base64url")}`)

/** When the session expires, in milliseconds since 1970; null if this deployment did not sign the id. */
export const sessionEnd = (key: Uint8Array, id: string): number | null => {
  const [, startedSec] = /^([0-9a-z]{1,8})\.[\w-]{22}$/.exec(verified(key, id) ?? "") ?? []
  return startedSec === undefined ? null : (parseInt(startedSec, 36) + lifetimeSec) * 1000
}

/** The lifetime of a token, s: longer than a stream, so that it still admits a browser that reconnects after one. */
export const streamTokenLifetimeSec = 900

export const streamTokenKey = (secret: string): Uint8Array => derivedKey(secret, "belltower/stream-token/v1")

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
