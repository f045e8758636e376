/** The headers that a monitor may send: those that HTTP allows (RFC 9110), except those that the HTTP client sets itself. */

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const forbidden = /[^\t\x20-\x7e\x80-\xff]/

/** Headers that describe the connection or the body's framing; the client sets them. */
const framing = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "content-length",
  "upgrade",
  "expect",
  "te",
  "trailer"
])

export const isFraming = (name: string): boolean => framing.has(name.toLowerCase())

export const headerProblem = (name: string, value: string): string | null =>
  !token.test(name)
    ? `"${name}" is not a valid header name`
    : forbidden.test(value)
    ? `The value of header ${name} contains a character that HTTP does not allow`
    : null

/** The names that repeat an earlier one in another case: HTTP has one header of both. */
export const repeatedNames = (headers: Readonly<Record<string, string>>): ReadonlySet<string> => {
  const lower = Object.keys(headers).map((name) => name.toLowerCase())
  return new Set(Object.keys(headers).filter((_, index) => lower.indexOf(lower[index] ?? "") < index))
}

export const repeatedProblem = (name: string): string =>
  `The header ${name.toLowerCase()} appears twice; header names are case-insensitive`

/** The refusal of the first header that a protocol sets itself; null if there is none. */
export const reservedRefusal = (headers: Readonly<Record<string, string>> | undefined, reserved: RegExp, setter: string) => {
  const name = Object.keys(headers ?? {}).find((one) => reserved.test(one))
  return name === undefined ? null : { path: `headers.${name}`, message: `The header ${name} is reserved: ${setter} sets it` }
}

/** The headers with lower-case names, without those that the client sets itself. */
export const sendable = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const).filter(([name]) => !isFraming(name))
  )
