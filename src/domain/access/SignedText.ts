/** Texts that any process of a deployment can verify without shared state: ids of MCP sessions and tokens of streams. */
import { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import type { LinkSigner } from "./LinkSigner.ts"

const signed = (signer: LinkSigner, purpose: string, text: string): string => `${text}.${signer.sign(`${purpose} ${text}`)}`

/** The text of `signed`; null if this deployment did not sign it for the purpose. */
const verified = (signer: LinkSigner, purpose: string, given: string): string | null => {
  const [, text, part] = /^(.{1,200})\.([\w-]{43})$/.exec(given) ?? []
  if (text === undefined || part === undefined) return null
  return signer.isSigned(`${purpose} ${text}`, part) ? text : null
}

/** The lifetime of a session in seconds. Activity does not extend it; the client then starts a new session. */
const lifetimeSec = 7 * 86_400

const sessionOf = (holder: string): string => `mcp session of ${holder}`

/** The facts that the id of a session carries. */
interface Session {
  /** ms since 1970. */
  readonly endsAt: number
  /** The capabilities that its client declared, in lower-case letters. */
  readonly declared: string
}

/** `holder` is whose session it is, `nonce` 16 fresh random bytes, `nowMillis` the start of the session. */
export const makeSessionId = (
  signer: LinkSigner,
  holder: string,
  { declared, nonce, nowMillis }: { readonly declared: string; readonly nonce: Uint8Array; readonly nowMillis: number }
): string => {
  const text = `${Math.floor(nowMillis / 1000).toString(36)}.${Buffer.from(nonce).toString("base64url")}`
  return signed(signer, sessionOf(holder), declared === "" ? text : `${text}.${declared}`)
}

/** The session of an id; null if this deployment did not sign it for the holder. */
export const readSessionId = (signer: LinkSigner, holder: string, id: string): Session | null => {
  const [, startedSec, declared = ""] =
    /^([0-9a-z]{1,8})\.[\w-]{22}(?:\.([a-z]{1,8}))?$/.exec(verified(signer, sessionOf(holder), id) ?? "") ?? []
  return startedSec === undefined ? null : { endsAt: (parseInt(startedSec, 36) + lifetimeSec) * 1000, declared }
}

/** The lifetime of a token, s: longer than a stream, so that it still admits a browser that reconnects after one. */
export const streamTokenLifetimeSec = 900

interface StreamGrant {
  readonly workspaceId: WorkspaceId
  readonly keyId: ApiKeyId
  /** ms since 1970. */
  readonly expiresAt: number
}

export const makeStreamToken = (signer: LinkSigner, { expiresAt, keyId, workspaceId }: StreamGrant): string =>
  signed(signer, "stream token", `${Math.floor(expiresAt / 1000).toString(36)}.${workspaceId}.${keyId}`)

/** The grant in a token; null if this deployment did not sign it. The caller compares `expiresAt`. */
export const readStreamToken = (signer: LinkSigner, token: string): StreamGrant | null => {
  const [, expirySec, workspaceId, keyId] =
    /^([0-9a-z]{1,8})\.(ws_\w{1,40})\.(key_\w{1,40})$/.exec(verified(signer, "stream token", token) ?? "") ?? []
  if (expirySec === undefined || workspaceId === undefined || keyId === undefined) return null
  return {
    workspaceId: WorkspaceId.make(workspaceId),
    keyId: ApiKeyId.make(keyId),
    expiresAt: parseInt(expirySec, 36) * 1000
  }
}
