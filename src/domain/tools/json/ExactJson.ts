/** JSON whose numbers keep their text: JavaScript's own rounds integers beyond 2^53 and drops the zeros of 1.10. */
import { Either } from "effect"
import { compareNumber, isLosslessNumber, LosslessNumber, parse as parseLossless, stringify } from "lossless-json"
import { jsonSize } from "./BoundedJson.ts"

/** A number is a JavaScript number only if that writes the same text. */
export type ExactJson =
  | null
  | boolean
  | string
  | number
  | LosslessNumber
  | ReadonlyArray<ExactJson>
  | { readonly [name: string]: ExactJson }

/** Levels of nesting. Parsing, comparing and writing recurse. */
const deepest = 500

const isExactJson = (_parsed: unknown): _parsed is ExactJson => true

export const isList = (value: ExactJson): value is ReadonlyArray<ExactJson> => Array.isArray(value)

export const isNumeric = (value: ExactJson): value is number | LosslessNumber =>
  typeof value === "number" || isLosslessNumber(value)

export const isRecord = (value: ExactJson): value is { readonly [name: string]: ExactJson } =>
  typeof value === "object" && value !== null && !isList(value) && !isLosslessNumber(value)

const parseNumber = (text: string): number | LosslessNumber => {
  const number = Number(text)
  return String(number) === text ? number : new LosslessNumber(text)
}

const parsed = (text: string): Either.Either<ExactJson, string> =>
  Either.try({
    // Of members with the same name the last counts, as in JSON.parse.
    try: () => parseLossless(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue }),
    catch: () => "is not JSON"
  }).pipe(Either.filterOrLeft(isExactJson, () => "is not JSON"))

/** Parses JSON and ignores a byte order mark. Left: what is wrong, such as "is not JSON". */
export const parseExactJson = (text: string): Either.Either<ExactJson, string> => {
  const source = text.replace(/^\uFEFF/, "")
  return jsonSize(source).depth > deepest ? Either.left(`nests more than ${deepest} levels`) : parsed(source)
}

/** Compact JSON; numbers as they were written. */
export const exactJsonText = (value: ExactJson): string => stringify(value) ?? "null"

/** Negative, 0 or positive, exactly. Both are decimal numbers. */
export const compareDecimals = (left: string, right: string): number => compareNumber(left, right)

const compareNumeric = (left: number | LosslessNumber, right: number | LosslessNumber): number =>
  typeof left === "number" && typeof right === "number" ? left - right : compareNumber(String(left), String(right))

/** As RFC 9535, section 2.3.5.2.2, defines it: numbers by value, members in any order. */
export const sameJson = (left: ExactJson, right: ExactJson): boolean => {
  if (isNumeric(left)) return isNumeric(right) && compareNumeric(left, right) === 0
  if (isList(left)) {
    return isList(right) && left.length === right.length && left.every((item, index) => sameJson(item, right[index] ?? null))
  }
  if (!isRecord(left) || !isRecord(right)) return left === right
  const names = Object.keys(left)
  return names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson(left[name] ?? null, right[name] ?? null))
}

/** False also for values of different types, and for those that have no order. */
export const isBelow = (left: ExactJson, right: ExactJson): boolean =>
  isNumeric(left)
    ? isNumeric(right) && compareNumeric(left, right) < 0
    : typeof left === "string" && typeof right === "string" && left < right
