/** Texts that any process of a deployment can verify without shared state: signed with a key of their purpose. */
import { createHmac, hkdfSync } from "node:crypto"
import { isSameToken } from "../secret/SameToken.ts"

/** The 32-byte key that signs for one purpose, such as `belltower/mcp-session/v1` (HKDF-SHA-256, RFC 5869). */
export const signingKey = (secret: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32))

const signature = (key: Uint8Array, text: string): string => createHmac("sha256", key).update(text, "utf8").digest("base64url")

/** The text, a period and its signature. */
export const signed = (key: Uint8Array, text: string): string => `${text}.${signature(key, text)}`

/** The text of `signed`; null if this key did not sign it. */
export const verified = (key: Uint8Array, given: string): string | null => {
  const [, text, part] = /^(.{1,200})\.([\w-]{43})$/.exec(given) ?? []
  if (text === undefined || part === undefined) return null
  return isSameToken(part, signature(key, text)) ? text : null
}
