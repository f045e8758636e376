/**
 * How assertions compare. Two texts compare as texts, two numbers by value. A text and a number compare by value if the text is
 * a decimal number, and differ otherwise. `true`, `false` and `null` equal the text that reads the same. A list or an object
 * equals the text that is JSON of it. Numbers are exact, whatever their size.
 */
import { Either } from "effect"
import type { Assertion } from "../../../../schema/monitor/Assertion.ts"
import {
  compareDecimals,
  type ExactJson,
  exactJsonText,
  isList,
  isNumeric,
  parseExactJson,
  sameJson
} from "../../tools/json/ExactJson.ts"

/** The value of an assertion, read once for many answers. */
export interface Expected {
  readonly value: NonNullable<Assertion["value"]>
  readonly text: string
  /** As a number; null if it is none. */
  readonly decimal: string | null
  /** The list or object of which it is the JSON; null if it is of none. */
  readonly json: ExactJson
}

/** The number that a text is, in a form that compares; null if it is none. */
const decimalOf = (text: string): string | null => {
  const trimmed = text.trim()
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return null
  return trimmed.replace(/^\+/, "").replace(/^(-?)\./, "$10.")
}

export const expectedOf = (value: NonNullable<Assertion["value"]>): Expected => {
  const text = String(value)
  return {
    value,
    text,
    decimal: typeof value === "boolean" ? null : decimalOf(text),
    json: /^\s*[[{]/.test(text) ? Either.getOrElse(parseExactJson(text), () => null) : null
  }
}

/** As it appears in the answer; a list or an object as compact JSON. */
export const textOf = (actual: ExactJson): string =>
  typeof actual === "string" ? actual : isNumeric(actual) ? String(actual) : exactJsonText(actual)

/** Negative, 0 or positive; null unless both are numbers. */
export const order = (actual: ExactJson, { decimal }: Expected): number | null => {
  if (decimal === null || !(typeof actual === "string" || isNumeric(actual))) return null
  const found = decimalOf(String(actual))
  return found === null ? null : compareDecimals(found, decimal)
}

export const equals = (actual: ExactJson, expected: Expected): boolean => {
  if (typeof actual === "string" && typeof expected.value !== "number") return actual === expected.text
  if (typeof actual === "string" || isNumeric(actual)) return order(actual, expected) === 0
  if (typeof actual === "boolean" || actual === null) return String(actual) === expected.text
  return expected.json !== null && sameJson(actual, expected.json)
}

/** A list contains an item that equals it; anything else, a part of its text. */
export const contains = (actual: ExactJson, expected: Expected): boolean =>
  isList(actual) ? actual.some((item) => equals(item, expected)) : textOf(actual).includes(expected.text)
