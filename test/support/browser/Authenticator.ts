/** An authenticator app: shows the codes of the secret from the setup page. */
import { Clock, Effect } from "effect"
import { codeAt } from "../../../src/domain/people/Totp.ts"

/** A secret as the setup page shows it, in bytes. */
const bytesOf = (base32: string): Uint8Array => {
  const bits = [...base32].map((char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0")).join("")
  return Uint8Array.from({ length: Math.floor(bits.length / 8) }, (_, i) => Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2))
}

/** The code that an app shows now, or `ahead` steps later, like an app whose clock is a little fast. */
export const codeOf = (secret: string, ahead = 0) =>
  Effect.map(Clock.currentTimeMillis, (now) => codeAt(bytesOf(secret), now + ahead * 30_000))
