/**
 * Encryption at rest, under a key derived from BELLTOWER_SECRET. A value of version 2, `2.<key id>.<AES-256-GCM in base64url>`, names
 * the secret that sealed it and opens only in the cell that it was sealed for. Version 1, base64 without either, is opened still.
 */
import { createHmac, hkdfSync } from "node:crypto"
import { keyObjectOf, openBytes, sealBytes } from "./SealedBytes.ts"

/** The 32-byte key of a secret for one purpose, such as `belltower/sealed/v2` (HKDF-SHA-256, RFC 5869). */
export const derivedKey = (secret: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32))

/** The keys that follow from one secret. */
export interface SecretKeys {
  /** Names the secret in what it sealed: 8 hexadecimal digits. */
  readonly id: string
  readonly sealing: Uint8Array
  /** The sealing key of version 1. */
  readonly formerSealing: Uint8Array
  /** Signed links and hashed targets, before the installation had random keys for that. */
  readonly formerHashing: Uint8Array
}

export const secretKeys = (secret: string): SecretKeys => ({
  id: Buffer.from(derivedKey(secret, "belltower/key-id/v2").subarray(0, 4)).toString("hex"),
  sealing: derivedKey(secret, "belltower/sealed/v2"),
  formerSealing: derivedKey(secret, "belltower/sealed/v1"),
  formerHashing: derivedKey(secret, "belltower/hashed/v1")
})

/** Equal texts have equal hashes. Without the key, a guessed text cannot be compared with a hash (HMAC-SHA-256, RFC 2104). */
export const keyedHash = (key: Uint8Array, text: string): Buffer =>
  createHmac("sha256", keyObjectOf(key)).update(text, "utf8").digest()

/** The beginning of everything that a secret seals. */
export const sealedPrefix = ({ id }: Pick<SecretKeys, "id">): string => `2.${id}.`

/** `nonce` must be 12 fresh random bytes for each call; `cell` is where the value is kept. */
export const seal = (keys: SecretKeys, nonce: Uint8Array, cell: Uint8Array, text: string): string =>
  sealedPrefix(keys) + sealBytes(keys.sealing, nonce, cell, text).toString("base64url")

/** Values of version 1, a byte 1 before nonce, tag and text, are bound to no cell. */
const nowhere = new Uint8Array()

/** The plain text; null if another secret sealed it, if it was sealed for another cell, or if it was modified. */
export const open = (keys: SecretKeys, cell: Uint8Array, sealed: string): string | null => {
  const prefix = sealedPrefix(keys)
  if (sealed.startsWith(prefix)) {
    return openBytes(keys.sealing, cell, Buffer.from(sealed.slice(prefix.length), "base64url"))?.toString("utf8") ?? null
  }
  const bytes = Buffer.from(sealed, "base64")
  return bytes[0] === 1 ? openBytes(keys.formerSealing, nowhere, bytes.subarray(1))?.toString("utf8") ?? null : null
}
