/** Compares two states of a thing field by field, and shows the differences without secrets. */
import { Predicate } from "effect"
import { mask } from "../../../schema/Mask.ts"
import { holdsSecret, isSecretHeader } from "../secret/HeldSecrets.ts"
import { maskUrls } from "../secret/UrlSecrets.ts"

/** A thing in the terms of documents, with its secrets. */
export type Fields = Readonly<Record<string, unknown>>

/** A changed field with its real values; undefined for none. */
export interface FieldChange {
  readonly path: string
  readonly from: unknown
  readonly to: unknown
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0)

const isObject = (value: unknown): value is Fields => Predicate.isRecord(value) && !Array.isArray(value)

/** Without empty fields: in a document they mean the same as if they were absent. */
export const withoutEmpty = (fields: Fields, keep: ReadonlyArray<string> = []): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [name, isObject(value) ? withoutEmpty(value) : value] as const)
      .filter(([name, value]) => keep.includes(name) || !isEmpty(value))
  )

/** Equal whatever the order of their members. */
const canonical = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, inner: unknown) =>
      isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner
  ) ?? ""

export const sameValue = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

/** A header or variable may be called as a method of all objects is, such as toString. */
const ownValue = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined)

/** The members of objects are fields of their own; lists are compared as a whole. */
export const fieldChanges = (from: Fields, to: Fields, path = ""): ReadonlyArray<FieldChange> =>
  [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name): ReadonlyArray<FieldChange> => {
    const [before, after] = [ownValue(from, name), ownValue(to, name)]
    const at = `${path}${name}`
    const inner = [before, after].map((value) => (isObject(value) ? value : isEmpty(value) ? {} : null))
    const [inBefore, inAfter] = inner
    if (inBefore && inAfter && (isObject(before) || isObject(after))) return fieldChanges(inBefore, inAfter, `${at}.`)
    if ((isEmpty(before) && isEmpty(after)) || sameValue(before, after)) return []
    return [{ path: at, from: isEmpty(before) ? undefined : before, to: isEmpty(after) ? undefined : after }]
  })

/** Characters of a value that a plan shows. */
const longestShown = 200

/** Settings whose whole value is a credential. */
const credentials = new Set(["appSecret", "botToken", "token"])

const shownText = (path: string, text: string): string => {
  const [root = "", ...name] = path.split(".")
  const isSecret = credentials.has(path) || (root === "headers" && isSecretHeader(name.join("."), text)) ||
    (root === "body" && holdsSecret(text))
  const shown = isSecret ? mask : maskUrls(text)
  return shown.length > longestShown ? `${shown.slice(0, longestShown)}...` : shown
}

const shown = (path: string, value: unknown, hidden: ReadonlySet<string>): unknown => {
  if (value === undefined) return undefined
  if (hidden.has(path.split(".")[0] ?? "")) return mask
  if (typeof value === "string") return shownText(path, value)
  if (typeof value !== "object" || value === null) return value
  const text = JSON.stringify(value)
  const masked = maskUrls(text)
  return masked === text && text.length <= longestShown ? value : shownText(path, text)
}

export const shownChanges = (changes: ReadonlyArray<FieldChange>, hidden: ReadonlySet<string> = new Set()) =>
  changes.map(({ from, path, to }) => {
    const [before, after] = [shown(path, from, hidden), shown(path, to, hidden)]
    return { path, ...(before === undefined ? {} : { from: before }), ...(after === undefined ? {} : { to: after }) }
  })
