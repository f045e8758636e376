/** Time-based one-time passwords (RFC 6238) with the parameters of authenticator apps: SHA-1, six digits, 30 seconds. */
import { Option } from "effect"
import { Secret, TOTP } from "otpauth"

const period = 30
const digits = 6
/** The tolerated clock error in steps, in either direction. */
const window = 1

const appOf = (secret: Uint8Array, account?: string) =>
  new TOTP({
    issuer: "Belltower",
    ...(account === undefined ? {} : { label: account }),
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
    algorithm: "SHA1",
    digits,
    period
  })

/** The time step of an instant in milliseconds since 1970. */
export const stepOf = (now: number): number => Math.floor(now / 1000 / period)

/** The time step of a code at most one step from `now` (ms); none up to `lastStep`, the last used one, which prevents replay. */
export const matchingStep = (secret: Uint8Array, code: string, now: number, lastStep: number | null): Option.Option<number> => {
  // People type spaces between digits.
  const token = code.replace(/\s+/g, "")
  if (!/^\d{6}$/.test(token)) return Option.none()
  const delta = appOf(secret).validate({ token, timestamp: now, window })
  if (delta === null) return Option.none()
  const step = stepOf(now) + delta
  return lastStep !== null && step <= lastStep ? Option.none() : Option.some(step)
}

export const codeAt = (secret: Uint8Array, now: number): string => appOf(secret).generate({ timestamp: now })

/** The secret in base32, for manual entry into an app. */
export const secretText = (secret: Uint8Array): string => new Secret({ buffer: Uint8Array.from(secret).buffer }).base32

/** The URI of the QR code: `otpauth://totp/Belltower:ada@example.com?...`. */
export const setupUri = (secret: Uint8Array, account: string): string => appOf(secret, account).toString()
