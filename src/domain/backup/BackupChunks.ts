/**
 * The outer form of a backup file: a head, then chunks of compressed records. Each chunk is authenticated together with its position, and
 * the last one says that it is the last, so a file that was cut, changed or put together from others never looks complete.
 */
import { createHash, hkdfSync } from "node:crypto"
import { framed, openBytes, sealBytes } from "../tools/SealedBytes.ts"

const magic = Buffer.from("BELLTOWER-BACKUP-1\n")
const saltLength = 32
export const headLength = magic.length + 1 + saltLength

/** How the content is covered: sealed with a key, or in the clear with checksums. */
export type Cover = "sealed" | "plain"
const coverByte = { sealed: 0x53, plain: 0x50 } satisfies Record<Cover, number>

/** `salt`: 32 random bytes, fresh for each file. */
export const headOf = (cover: Cover, salt: Uint8Array): Buffer => Buffer.concat([magic, Buffer.of(coverByte[cover]), salt])

/** Null if the bytes are not the head of a backup. */
export const readHead = (head: Buffer): { readonly cover: Cover; readonly salt: Buffer } | null => {
  if (head.length !== headLength || !head.subarray(0, magic.length).equals(magic)) return null
  const salt = head.subarray(magic.length + 1)
  switch (head[magic.length]) {
    case coverByte.sealed:
      return { cover: "sealed", salt }
    case coverByte.plain:
      return { cover: "plain", salt }
    default:
      return null
  }
}

/** The position of a chunk in its file. */
interface ChunkPosition {
  /** From 0. */
  readonly index: number
  readonly isLast: boolean
}

export interface ChunkCodec {
  /** `nonce`: 12 fresh random bytes. */
  readonly pack: (position: ChunkPosition, nonce: Uint8Array, body: Uint8Array) => Buffer
  /** Null if the chunk is of another position, file or key, or was changed. */
  readonly unpack: (position: ChunkPosition, packed: Uint8Array) => Buffer | null
}

const about = (salt: Uint8Array, { index, isLast }: ChunkPosition): Buffer =>
  framed(salt, String(index), isLast ? "last" : "more")

/** Each file has a key of its own, which follows from the operator's and the salt (HKDF-SHA-256). */
export const sealedChunks = (key: string, salt: Uint8Array): ChunkCodec => {
  const own = new Uint8Array(hkdfSync("sha256", key, salt, "belltower/backup/v1", 32))
  return {
    pack: (position, nonce, body) => sealBytes(own, nonce, about(salt, position), body),
    unpack: (position, packed) => openBytes(own, about(salt, position), packed)
  }
}

const checksumLength = 32

/** Finds damage, but proves nothing about who wrote the file. */
export const plainChunks = (salt: Uint8Array): ChunkCodec => {
  const checksum = (position: ChunkPosition, body: Uint8Array) =>
    createHash("sha256").update(about(salt, position)).update(body).digest()
  return {
    pack: (position, _, body) => Buffer.concat([checksum(position, body), body]),
    unpack: (position, packed) => {
      const body = Buffer.from(packed.subarray(checksumLength))
      return checksum(position, body).equals(packed.subarray(0, checksumLength)) ? body : null
    }
  }
}

/** Bytes of content in each chunk but the last. */
export const chunkSize = 256 * 1024
const mostPacked = 2 * chunkSize
const lastBit = 0x80000000

/** A chunk behind its length, whose first bit marks the last one. */
export const chunkFrame = (packed: Uint8Array, isLast: boolean): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE((packed.length | (isLast ? lastBit : 0)) >>> 0)
  return Buffer.concat([length, packed])
}

/** The length and the mark in front of a chunk; null if no chunk is that long. */
export const readFrame = (word: number): { readonly length: number; readonly isLast: boolean } | null => {
  const length = word & ~lastBit
  return length > mostPacked ? null : { length, isLast: word >= lastBit }
}
