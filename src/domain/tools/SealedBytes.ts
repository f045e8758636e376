/** Authenticated encryption of bytes (AES-256-GCM), as nonce, tag and text, and the unambiguous joining of what it is about. */
import { Either } from "effect"
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from "node:crypto"

const algorithm = "aes-256-gcm"
export const nonceLength = 12
const tagLength = 16

const keyObjects = new WeakMap<Uint8Array, KeyObject>()

/** A key as Node's functions use it. From bytes they make it on each call, which takes three times as long as to seal a short text. */
export const keyObjectOf = (key: Uint8Array): KeyObject => {
  const known = keyObjects.get(key)
  if (known !== undefined) return known
  const made = createSecretKey(key)
  keyObjects.set(key, made)
  return made
}

/** Parts as one, each behind its length: other parts never give the same bytes. */
export const framed = (...parts: ReadonlyArray<string | Uint8Array>): Buffer =>
  Buffer.concat(parts.flatMap((part) => {
    const bytes = Buffer.from(part)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return [length, bytes]
  }))

/** `nonce` must be 12 fresh random bytes for each call. Who opens the result must give the same `about`. */
export const sealBytes = (key: Uint8Array, nonce: Uint8Array, about: Uint8Array, text: string | Uint8Array): Buffer => {
  const cipher = createCipheriv(algorithm, keyObjectOf(key), nonce)
  cipher.setAAD(about)
  const body = Buffer.concat([cipher.update(Buffer.from(text)), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** The text; null if another key sealed it, if it is about something else, or if a bit was changed. */
export const openBytes = (key: Uint8Array, about: Uint8Array, sealed: Uint8Array): Buffer | null =>
  Either.getOrNull(Either.try(() => {
    const decipher = createDecipheriv(algorithm, keyObjectOf(key), sealed.subarray(0, nonceLength), { authTagLength: tagLength })
    decipher.setAAD(about)
    decipher.setAuthTag(sealed.subarray(nonceLength, nonceLength + tagLength))
    return Buffer.concat([decipher.update(sealed.subarray(nonceLength + tagLength)), decipher.final()])
  }))
