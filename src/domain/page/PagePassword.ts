/** Hashes of page passwords, by scrypt (RFC 7914), and the grants that a visitor's browser keeps. */
import { type DateTime, Duration } from "effect"
import type { SettledPage } from "./PageDefaults.ts"

/** N, r and p: about 16 MiB and 50 ms for each try. */
export const scryptCost = { N: 16_384, r: 8, p: 1 } as const
export const keyLength = 32

/** How long a browser that gave the password is not asked again. */
export const grantFor = Duration.days(30)

export const storedHash = (salt: Uint8Array, key: Uint8Array): string =>
  `scrypt ${Buffer.from(salt).toString("base64url")} ${Buffer.from(key).toString("base64url")}`

/** The parts of a stored hash; null if another version wrote it. */
export const hashParts = (stored: string): { readonly salt: Buffer; readonly key: Buffer } | null => {
  const [scheme, salt, key] = stored.split(" ")
  return scheme === "scrypt" && salt !== undefined && key !== undefined
    ? { salt: Buffer.from(salt, "base64url"), key: Buffer.from(key, "base64url") }
    : null
}

export const asksForPassword = ({ passwordSetAt, visibility }: Pick<SettledPage, "passwordSetAt" | "visibility">): boolean =>
  visibility === "private" && passwordSetAt !== null

/** The signed text of a grant: a new password ends the grants of the one before. */
export const grantText = (pageId: string, passwordSetAt: DateTime.Utc, expires: number): string =>
  `page grant ${pageId} ${passwordSetAt.epochMillis} ${expires}`
