/** Messages that only the probes of a region can read: a version, the epoch of the region's key, and the sealed text. */
import { createHmac } from "node:crypto"
import { isSameToken } from "../secret/SameToken.ts"
import { framed, openBytes, sealBytes } from "../tools/SealedBytes.ts"
import type { RegionKey } from "./RegionKeys.ts"

/** The messages that are sealed for a region. One of one kind is none of another. */
export type SealedKind = "assignment" | "request"

const version = 1
const headLength = 5

const about = (kind: SealedKind, { epoch, region }: Omit<RegionKey, "key">, messageKey: string): Buffer =>
  framed("belltower/region-message/v1", kind, region, String(epoch), messageKey)

/** `messageKey` is the key of the message: the id of a monitor or a request. `nonce` must be 12 fresh random bytes. */
export const sealForRegion = (
  kind: SealedKind,
  key: RegionKey,
  messageKey: string,
  nonce: Uint8Array,
  text: string
): Buffer => {
  const head = Buffer.alloc(headLength)
  head.writeUInt8(version)
  head.writeUInt32BE(key.epoch, 1)
  return Buffer.concat([head, sealBytes(key.key, nonce, about(kind, key, messageKey), text)])
}

/** The epoch whose key opens a message; null if it is none of this version. */
export const epochOf = (message: Uint8Array): number | null =>
  message[0] === version && message.length > headLength ? Buffer.from(message).readUInt32BE(1) : null

/** The text; null if the key is not that of the message's epoch and region, or if anything of the message was changed. */
export const openForRegion = (kind: SealedKind, key: RegionKey, messageKey: string, message: Uint8Array): Buffer | null =>
  epochOf(message) === key.epoch
    ? openBytes(key.key, about(kind, key, messageKey), message.subarray(headLength))
    : null

/** Proof for the probes of a region that the servers say something that is no secret (HMAC-SHA-256). */
export const regionProof = ({ epoch, key, region }: RegionKey, kind: "time" | "gone", text: string): string =>
  createHmac("sha256", key).update(framed("belltower/region-proof/v1", kind, region, String(epoch), text)).digest("base64url")

/** Whether the servers said so, compared in constant time. */
export const isProof = (key: RegionKey, kind: "time" | "gone", text: string, given: string): boolean =>
  isSameToken(given, regionProof(key, kind, text))
