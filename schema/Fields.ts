/** The small schemas that many resources share: optional fields, bounded texts and numbers, wire timestamps. */
import { DateTime, ParseResult, Schema } from "effect"

/** A field that may be left out, but is never `undefined`. */
export const optional = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optionalWith(schema, { exact: true })

/** A text of at most `max` characters. */
export const text = (max: number) => Schema.String.pipe(Schema.maxLength(max))

/** A text of 1 to `max` characters. */
export const name = (max: number) => Schema.String.pipe(Schema.minLength(1), Schema.maxLength(max))

/** A whole number from `min` to `max`. */
export const whole = (min: number, max: number) => Schema.Int.pipe(Schema.between(min, max))

/** At most `max` items. */
export const list = <A, I, R>(item: Schema.Schema<A, I, R>, max: number) => Schema.Array(item).pipe(Schema.maxItems(max))

/** An absolute http or https URL of at most `max` characters. */
export const httpUrl = (max: number) =>
  text(max).pipe(
    Schema.filter((value) =>
      URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) ? true : "Expected an absolute http or https URL"
    ),
    Schema.annotations({ jsonSchema: { type: "string", format: "uri", maxLength: max } })
  )

/** A UTC instant; on the wire ISO 8601 with milliseconds and `Z`. */
export const Timestamp = Schema.DateTimeUtc.annotations({
  identifier: "Timestamp",
  description: "ISO 8601 in UTC with milliseconds, for example 2026-11-20T08:00:00.000Z",
  jsonSchema: { type: "string", format: "date-time" }
})

/** `true` also as the texts `true`, `1` and `yes`, for query parameters and forms. */
export const Flag = Schema.transformOrFail(Schema.Union(Schema.Boolean, Schema.String), Schema.Boolean, {
  strict: true,
  decode: (value, _, ast) => {
    if (typeof value === "boolean") return ParseResult.succeed(value)
    const word = value.trim().toLowerCase()
    if (["true", "1", "yes", "on"].includes(word)) return ParseResult.succeed(true)
    if (["false", "0", "no", "off", ""].includes(word)) return ParseResult.succeed(false)
    return ParseResult.fail(new ParseResult.Type(ast, value, "Expected true or false"))
  },
  encode: (value) => ParseResult.succeed(value)
}).annotations({ jsonSchema: { type: "boolean" } })

/** Milliseconds since 1970 as a UTC instant. */
export const instant = (millis: number): DateTime.Utc => DateTime.unsafeMake(millis)
