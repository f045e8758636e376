/** Texts that any process of a deployment can verify without shared state: signed with a key of their purpose. */
import { createHmac } from "node:crypto"
import { isSameToken } from "../secret/SameToken.ts"

const signature = (key: Uint8Array, text: string): string => createHmac("sha256", key).update(text, "utf8").digest("base64url")

export const signed = (key: Uint8Array, text: string): string => `${text}.${signature(key, text)}`

/** The text of `signed`; null if this key did not sign it. */
export const verified = (key: Uint8Array, given: string): string | null => {
  const [, text, part] = /^(.{1,200})\.([\w-]{43})$/.exec(given) ?? []
  if (text === undefined || part === undefined) return null
  return isSameToken(part, signature(key, text)) ? text : null
}
