/** Compares a token with the expected one. */
import { timingSafeEqual } from "node:crypto"

/** In constant time, and as text: several base64 texts decode to the same bytes. */
export const isSameToken = (given: string, expected: string): boolean => {
  const [one, other] = [Buffer.from(given, "utf8"), Buffer.from(expected, "utf8")]
  return one.length === other.length && timingSafeEqual(one, other)
}
