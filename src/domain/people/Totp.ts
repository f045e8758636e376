/** Time-based one-time passwords (RFC 6238) as authenticator apps make them: SHA-1, six digits, 30 seconds. */
import { Option } from "effect"
import { Secret, TOTP } from "otpauth"

const period = 30
const digits = 6
/** Steps that a clock may be off, either way. */
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

/** The step of an instant, in milliseconds since 1970. */
export const stepOf = (now: number): number => Math.floor(now / 1000 / period)

/** Digits as people type them: with blanks. */
const typed = (code: string): string => code.replace(/\s+/g, "")

/**
 * The step whose code this is, if it lies at most one step from `now` (ms) and after `lastStep`: a code that was used, or
 * one older than it, is good for nothing.
 */
export const matchingStep = (secret: Uint8Array, code: string, now: number, lastStep: number | null): Option.Option<number> => {
  const token = typed(code)
  if (!/^\d{6}$/.test(token)) return Option.none()
  const delta = appOf(secret).validate({ token, timestamp: now, window })
  if (delta === null) return Option.none()
  const step = stepOf(now) + delta
  return lastStep !== null && step <= lastStep ? Option.none() : Option.some(step)
}

/** The code of an instant, as an app shows it. */
export const codeAt = (secret: Uint8Array, now: number): string => appOf(secret).generate({ timestamp: now })

/** As it is typed into an app by hand: base32. */
export const secretText = (secret: Uint8Array): string => new Secret({ buffer: Uint8Array.from(secret).buffer }).base32

/** What an app scans: `otpauth://totp/Belltower:ada@example.com?...`. */
export const setupUri = (secret: Uint8Array, account: string): string => appOf(secret, account).toString()
