/** The signature of a message from a probe: HMAC-SHA-256 (RFC 2104) over its kind, key and text. */
import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto"

/** The messages of probes. One of one kind is none of another. */
export type SignedKind = "result" | "beat" | "reply"

/** The lengths come first, so that other keys and texts never give the same bytes. */
export const signatureOf = (signing: KeyObject, kind: SignedKind, key: Uint8Array, text: Uint8Array): Buffer =>
  createHmac("sha256", signing)
    .update(`belltower/probe-message/v1 ${kind} ${key.length} ${text.length}\n`)
    .update(key)
    .update(text)
    .digest()

/** Compared in constant time. */
export const isSignature = (
  signing: KeyObject,
  kind: SignedKind,
  key: Uint8Array,
  text: Uint8Array,
  given: Uint8Array
): boolean => {
  const expected = signatureOf(signing, kind, key, text)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
