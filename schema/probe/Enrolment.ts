/** How a probe becomes known: what it sends with a token, and what the servers send to it alone. Bytes are base64url. */
import { Schema } from "effect"
import { RegionId } from "../check/Region.ts"
import { ProbeId, ProbeTokenId } from "../Ids.ts"

/** 32 bytes. */
const Bytes32 = Schema.String.pipe(Schema.pattern(/^[\w-]{43}$/))

export const EnrolmentRequest = Schema.Struct({
  token: Schema.compose(Schema.String.pipe(Schema.maxLength(64)), ProbeTokenId),
  publicKey: Bytes32,
  /** Shows that the sender has the whole token, without sending its secret. */
  proof: Bytes32,
  version: Schema.String.pipe(Schema.maxLength(40))
})
export type EnrolmentRequest = typeof EnrolmentRequest.Type

/** `Enrolled`, sealed to the sender. */
export const EnrolmentAnswer = Schema.Struct({ sealed: Schema.String.pipe(Schema.maxLength(10_000)) })
export type EnrolmentAnswer = typeof EnrolmentAnswer.Type

/** A key of the probe's region. Each revocation begins an epoch. */
export const EpochKey = Schema.Struct({ epoch: Schema.Int, key: Bytes32 })
export type EpochKey = typeof EpochKey.Type

export const Enrolled = Schema.Struct({ probeId: ProbeId, region: RegionId, keys: Schema.Array(EpochKey) })
export type Enrolled = typeof Enrolled.Type

/** News of the servers for a running probe, sealed to it. */
export const ProbeNews = Schema.Union(
  Schema.Struct({ revoked: Schema.Literal(true) }),
  Schema.Struct({ keys: Schema.Array(EpochKey) })
)
export type ProbeNews = typeof ProbeNews.Type
