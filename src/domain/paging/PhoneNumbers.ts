/** Which phone numbers are paged: those below the prefixes that the operator allows, and none that costs extra. */
import { Either } from "effect"

/**
 * Beginnings of numbers for which the caller pays extra, by the numbering plans of their countries, and of networks that belong
 * to none (satellites, premium, shared cost), which fraud uses for the same reason. Not all: a provider has rules of its own.
 */
const costly: ReadonlyArray<string> = [
  "+1900",
  "+3180",
  "+3190",
  "+3270",
  "+3290",
  "+3381",
  "+3382",
  "+3389",
  "+34803",
  "+34806",
  "+34807",
  "+34905",
  "+3989",
  "+41900",
  "+41901",
  "+41906",
  "+43900",
  "+43901",
  "+43930",
  "+43931",
  "+43939",
  "+4470",
  "+4484",
  "+4487",
  "+449",
  "+46900",
  "+46939",
  "+46944",
  "+4870",
  "+49137",
  "+49180",
  "+49900",
  "+61190",
  "+808",
  "+870",
  "+878",
  "+881",
  "+882",
  "+883",
  "+888",
  "+979"
]

/** The prefixes that are allowed; none for all. */
export type PhonePrefixes = ReadonlyArray<string>

/** Reads prefixes such as `+49` and `+4916`. */
export const parsePhonePrefixes = (items: ReadonlyArray<string>): Either.Either<PhonePrefixes, string> =>
  Either.all(items.map((item) =>
    /^\+[1-9]\d{0,6}$/.test(item)
      ? Either.right(item)
      : Either.left(`"${item}" is no prefix of phone numbers, such as +49`)
  ))

const longestIn = (prefixes: ReadonlyArray<string>, number: string): number =>
  prefixes.reduce((longest, prefix) => number.startsWith(prefix) ? Math.max(longest, prefix.length) : longest, 0)

/** Why a number is not paged; null if it is. A costly one is, if the operator names its prefix as exactly as the list here. */
export const numberRefusal = (number: string, allowed: PhonePrefixes): string | null => {
  const named = longestIn(allowed, number)
  if (allowed.length > 0 && named === 0) return `This server pages only numbers that begin with ${allowed.join(", ")}`
  return longestIn(costly, number) > named ? "Calls to this number cost extra; enter an ordinary one" : null
}

/** The part of a number that lists show: nobody can call it. */
export const hiddenNumber = (number: string): string => `${number.slice(0, 3)} ••• ${number.slice(-3)}`
