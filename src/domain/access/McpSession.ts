/** Signed ids of MCP sessions: any process of a deployment can verify one without shared state. */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"

/** The lifetime of a session in seconds. Activity does not extend it; the client then starts a new session. */
const lifetimeSec = 7 * 86_400

/** The 32-byte key that signs a deployment's sessions (HKDF-SHA-256, RFC 5869). */
export const sessionKey = (secret: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", "belltower/mcp-session/v1", 32))

const signature = (key: Uint8Array, text: string): Buffer => createHmac("sha256", key).update(text, "utf8").digest()

/** `nonce` is 16 fresh random bytes; `nowMillis` is the start of the session. */
export const makeSessionId = (key: Uint8Array, nonce: Uint8Array, nowMillis: number): string => {
  const text = `${Math.floor(nowMillis / 1000).toString(36)}.${Buffer.from(nonce).toString("base64url")}`
  return `${text}.${signature(key, text).toString("base64url")}`
}

/** When the session expires, in milliseconds since 1970; null if this deployment did not sign the id. */
export const sessionEnd = (key: Uint8Array, id: string): number | null => {
  const [, text, startedSec, given] = /^(([0-9a-z]{1,8})\.[\w-]{22})\.([\w-]{43})$/.exec(id) ?? []
  if (text === undefined || startedSec === undefined || given === undefined) return null
  const provided = Buffer.from(given, "base64url")
  const expected = signature(key, text)
  return provided.length === expected.length && timingSafeEqual(provided, expected)
    ? (parseInt(startedSec, 36) + lifetimeSec) * 1000
    : null
}
