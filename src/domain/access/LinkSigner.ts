/**
 * Signs and seals what is given to people and programs without a key: links, grants, ids of sessions. Its key is random, because from a
 * signature under a key that follows from the deployment's secret, a stranger could guess the secret.
 */
import { isSameToken } from "../secret/SameToken.ts"
import { derivedKey, keyedHash } from "../tools/Sealed.ts"
import { framed, openBytes, sealBytes } from "../tools/SealedBytes.ts"

/** Each signed text begins with its purpose, so that no signature is valid for another one. */
export interface LinkSigner {
  /** The first `bytes` of 32 in base64url. */
  readonly sign: (text: string, bytes?: number) => string
  /** Whether `sign` made it of this text. In constant time. */
  readonly isSigned: (text: string, signature: string, bytes?: number) => boolean
  /** The same, also by the former key: for links that live long in mails and calendars. */
  readonly wasSigned: (text: string, signature: string, bytes?: number) => boolean
  /** `nonce` must be 12 fresh random bytes for each call. */
  readonly seal: (nonce: Uint8Array, purpose: string, text: string) => string
  /** The text that `seal` sealed for this purpose; null for anything else. */
  readonly open: (purpose: string, sealed: string) => string | null
}

const signature = (key: Uint8Array, text: string, bytes: number): string =>
  keyedHash(key, text).subarray(0, bytes).toString("base64url")

/** `former`: the key of an earlier version; null if there is none. */
export const makeLinkSigner = (key: Uint8Array, former: Uint8Array | null = null): LinkSigner => {
  const sealing = derivedKey(Buffer.from(key).toString("base64"), "belltower/link-sealing/v1")
  const isSigned = (text: string, given: string, bytes = 32): boolean => isSameToken(given, signature(key, text, bytes))
  return {
    sign: (text, bytes = 32) => signature(key, text, bytes),
    isSigned,
    wasSigned: (text, given, bytes = 32) =>
      isSigned(text, given, bytes) || (former !== null && isSameToken(given, signature(former, text, bytes))),
    seal: (nonce, purpose, text) => sealBytes(sealing, nonce, framed(purpose), text).toString("base64url"),
    open: (purpose, sealed) => openBytes(sealing, framed(purpose), Buffer.from(sealed, "base64url"))?.toString("utf8") ?? null
  }
}
