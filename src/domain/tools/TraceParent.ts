/** The span of a piece of work as text: the `traceparent` of W3C Trace Context, level 1. */

export interface SpanContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string
  /** 16 hexadecimal digits, not all zero. */
  readonly spanId: string
  readonly sampled: boolean
}

/** `00-<trace id>-<span id>-<flags>`. A later version may append more. */
const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Longer than any that a version of the standard is likely to write. */
const longest = 256

export const traceparentOf = ({ sampled, spanId, traceId }: SpanContext): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** Null for text that is none, such as what a stranger sends. */
export const readTraceparent = (text: string): SpanContext | null => {
  const [, version, traceId, spanId, flags, more] = text.length > longest ? [] : form.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (version === "00" && more !== undefined) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
