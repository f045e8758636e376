/** Signs webhook deliveries according to Standard Webhooks (https://www.standardwebhooks.com) and rotates signing secrets. */
import { createHmac } from "node:crypto"
import { isSameToken } from "../secret/SameToken.ts"

const prefix = "whsec_"

/** How long a replaced secret keeps signing alongside its successor, to give receivers time to switch: a day, in ms. */
export const rotationOverlapMs = 24 * 60 * 60 * 1000

/** Limits how many secrets sign together after several rotations within a day, which bounds the header. */
const maxSecrets = 4

/** A signing secret; `until` (ms since 1970) is when it stops signing, null for the current one. */
export interface SigningSecret {
  readonly secret: string
  readonly until: number | null
}

/** `whsec_<base64>` of 24 to 64 random bytes. */
export const makeSecret = (random: Uint8Array): string => prefix + Buffer.from(random).toString("base64")

/** The secrets after a rotation at `now` (ms), the new one first. */
export const rotate = (secrets: ReadonlyArray<SigningSecret>, fresh: string, now: number): ReadonlyArray<SigningSecret> => [
  { secret: fresh, until: null },
  ...secrets.filter(({ until }) => until === null || until > now)
    .map(({ secret, until }) => ({ secret, until: until ?? now + rotationOverlapMs }))
    .slice(0, maxSecrets - 1)
]

const signature = (secret: string, head: string, body: string | Uint8Array): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(prefix.length), "base64")).update(head).update(body).digest("base64")}`

/** The three headers of a delivery sent at `now` (ms), with one signature per secret that is still valid. */
export const signedHeaders = (
  secrets: ReadonlyArray<SigningSecret>,
  message: { readonly id: string; readonly body: string | Uint8Array },
  now: number
) => {
  const timestamp = Math.floor(now / 1000)
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets
      .filter(({ until }) => until === null || until > now)
      .map(({ secret }) => signature(secret, `${message.id}.${timestamp}.`, message.body))
      .join(" ")
  } as const
}

/** A signature is accepted for so long before and after its time, in seconds. */
const toleranceSec = 300

/** The headers of a signed message that came in; a missing one is empty. */
export interface GivenSignature {
  readonly id: string
  readonly timestamp: string
  readonly signatures: string
}

/** Whether the holder of the secret signed this body, at most five minutes from `now` (ms). In constant time. */
export const isSigned = (secret: string, { id, signatures, timestamp }: GivenSignature, body: string, now: number): boolean => {
  const own = signature(secret, `${id}.${timestamp}.`, body)
  return /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) - now / 1000) <= toleranceSec &&
    signatures.slice(0, 1000).split(" ").some((given) => isSameToken(given, own))
}
