/** The id of an MCP session: signed, so that every process of a deployment knows it without having seen it before. */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"

/** Seconds that a session lasts, however busy it is; its client begins another then. */
const lifetimeSec = 7 * 86_400

/** The 32-byte key that signs a deployment's sessions (HKDF-SHA-256, RFC 5869). */
export const sessionKey = (secret: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", "belltower/mcp-session/v1", 32))

const signature = (key: Uint8Array, text: string): Buffer => createHmac("sha256", key).update(text, "utf8").digest()

/** `nonce` is 16 fresh random bytes, `nowMillis` when the session begins. */
export const makeSessionId = (key: Uint8Array, nonce: Uint8Array, nowMillis: number): string => {
  const text = `${Math.floor(nowMillis / 1000).toString(36)}.${Buffer.from(nonce).toString("base64url")}`
  return `${text}.${signature(key, text).toString("base64url")}`
}

/** When the session of an id is over, in milliseconds since 1970; null when the id is none of ours. */
export const sessionEnd = (key: Uint8Array, id: string): number | null => {
  const [, text, begun, signed] = /^(([0-9a-z]{1,8})\.[\w-]{22})\.([\w-]{43})$/.exec(id) ?? []
  if (text === undefined || begun === undefined || signed === undefined) return null
  const given = Buffer.from(signed, "base64url")
  const own = signature(key, text)
  return given.length === own.length && timingSafeEqual(given, own) ? (parseInt(begun, 36) + lifetimeSec) * 1000 : null
}
