/** Encryption at rest: AES-256-GCM under a key derived from BELLTOWER_SECRET, as base64 of version, nonce, tag and text. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto"

const version = 1
const nonceLength = 12
const tagLength = 16

/** The 32-byte key of a deployment for one purpose, such as `belltower/sealed/v1` (HKDF-SHA-256, RFC 5869). */
export const derivedKey = (secret: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, "", purpose, 32))

export const sealingKey = (secret: string): Uint8Array => derivedKey(secret, "belltower/sealed/v1")

/** The key of `keyedHash` for a deployment. */
export const hashingKey = (secret: string): Uint8Array => derivedKey(secret, "belltower/hashed/v1")

/** Equal texts have equal hashes. Without the key, a guessed text cannot be compared with a hash (HMAC-SHA-256, RFC 2104). */
export const keyedHash = (key: Uint8Array, text: string): Buffer => createHmac("sha256", key).update(text, "utf8").digest()

/** `nonce` must be 12 fresh random bytes for each call. */
export const seal = (key: Uint8Array, nonce: Uint8Array, text: string): string => {
  const cipher = createCipheriv("aes-256-gcm", key, nonce)
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), body]).toString("base64")
}

/** The plain text. Throws if the key is wrong or the bytes were modified; callers treat that as a defect. */
export const unseal = (key: Uint8Array, sealed: string): string => {
  const bytes = Buffer.from(sealed, "base64")
  if (bytes[0] !== version) throw new Error("Unknown sealing version")
  const nonce = bytes.subarray(1, 1 + nonceLength)
  const tag = bytes.subarray(1 + nonceLength, 1 + nonceLength + tagLength)
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagLength })
  decipher.setAuthTag(tag)
  return Buffer.concat([decipher.update(bytes.subarray(1 + nonceLength + tagLength)), decipher.final()]).toString("utf8")
}
