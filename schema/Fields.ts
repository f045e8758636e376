/** Small schemas shared by many resources: optional fields, bounded strings and numbers, wire timestamps. */
import { Array as Arr, DateTime, Option, ParseResult, Schema, SchemaAST } from "effect"
import { parsedUrl } from "./UrlText.ts"

/** A schema with a description, and perhaps examples, for the documentation. */
export const documented = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  description: string,
  examples: ReadonlyArray<NoInfer<A>>
): Schema.Schema<A, I, R> =>
  schema.annotations(Arr.isNonEmptyReadonlyArray(examples) ? { description, examples } : { description })

/**
 * A field that can be omitted but is never `undefined`. Copies the schema's description to the field, because JSON Schema generation
 * drops the description of a schema that has its own `jsonSchema`. Named schemas keep theirs in their definition.
 */
export const optional = <A, I, R>(
  given: Schema.Schema<A, I, R>,
  description?: string,
  ...examples: ReadonlyArray<NoInfer<A>>
) => {
  const schema = description === undefined ? given : documented(given, description, examples)
  const field = Schema.optionalWith(schema, { exact: true })
  const isNamed = Option.isSome(SchemaAST.getIdentifierAnnotation(schema.ast))
  return Option.match(isNamed ? Option.none() : SchemaAST.getDescriptionAnnotation(schema.ast), {
    onNone: () => field,
    onSome: (own) => field.annotations({ description: own })
  })
}

/** A value that can be null. */
export const orNull = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  description: string,
  ...examples: ReadonlyArray<NoInfer<A> | null>
) => documented(Schema.NullOr(schema), description, examples)

/** A field of a named schema, with a description of its own for the documentation. */
export const described = <S extends Schema.Schema.All>(schema: S, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

/** Marks what repeats text of a monitored target or of a program that reports: data for agents, never instructions. */
export const FromTarget = Symbol.for("belltower/FromTarget")

/**
 * The title of such a field in a generated JSON Schema, which documents show as `x-untrusted`. The generator keeps no annotation of ours.
 */
export const untrustedTitle = "x-untrusted"

/** A field whose value a target or a reporting program wrote, entirely or in part. */
export const fromTarget = <A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A, I, R> =>
  schema.annotations({ [FromTarget]: true, title: untrustedTitle })

/** The same for a text that AI wrote from what targets say, if the record's `ai` is true; else a person or the service wrote it. */
export const fromTargetIfAi = <A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A, I, R> =>
  schema.annotations({ [FromTarget]: "ai", title: untrustedTitle })

/** Names the values of a schema with many of them, such as "event type": a refusal then suggests the nearest instead of listing all. */
export const ValueNoun = Symbol.for("belltower/ValueNoun")

/** Explains a value that a schema refuses; null leaves the explanation to the schema. */
export type Explain = (value: unknown) => string | null

export const Explanation = Symbol.for("belltower/Explanation")

/** A schema that explains some refusals better than its type can, such as a common mistake. */
export const explained = <A, I, R>(schema: Schema.Schema<A, I, R>, explain: Explain): Schema.Schema<A, I, R> =>
  schema.annotations({ [Explanation]: explain })

/** A text of a certain form. `expected` says which, as in "Expected a colour, such as #2563eb". */
export const formed = (pattern: RegExp, expected: string, example?: string) =>
  explained(Schema.String.pipe(Schema.pattern(pattern, example === undefined ? {} : { examples: [example] })), () => expected)

export const text = (max: number) => Schema.String.pipe(Schema.maxLength(max))

/** A string of `min` to `max` characters; those outside the Basic Multilingual Plane count once towards `min`, as in JSON Schema. */
export const textBetween = (min: number, max: number) =>
  text(max).pipe(
    Schema.filter((value) => value.length >= min && (value.length >= min * 2 || Array.from(value).length >= min), {
      jsonSchema: { minLength: min }
    })
  )

/** A string whose own check refuses the empty one in better words; this only documents it. */
export const filled = <A extends string, I, R>(schema: Schema.Schema<A, I, R>) =>
  schema.pipe(Schema.filter(() => true, { jsonSchema: { minLength: 1 } }))

/** A response string with an example for the documentation. */
export const textLike = (example: string, description?: string) =>
  Schema.String.annotations({ examples: [example], ...(description === undefined ? {} : { description }) })

/** A string of 1 to `max` characters, not all of them whitespace. */
export const name = (max: number) =>
  Schema.String.pipe(
    Schema.minLength(1),
    Schema.maxLength(max),
    Schema.filter((value) => value.trim() !== "" || "Expected at least one character that is not whitespace", {
      jsonSchema: { pattern: "\\S" }
    })
  )

export const whole = (min: number, max: number) =>
  Schema.Number.pipe(
    Schema.filter((value) =>
      Number.isInteger(value) && value >= min && value <= max ? true : `Expected a whole number from ${min} to ${max}`
    ),
    // With this id, JSON Schema generation treats the type as a refinement and keeps its description.
    Schema.annotations({ schemaId: Schema.IntSchemaId, jsonSchema: { type: "integer", minimum: min, maximum: max } })
  )

/** An integer from `min` to `max` in a query string. */
export const wholeText = (min: number, max: number) =>
  Schema.NumberFromString.pipe(
    Schema.compose(whole(min, max)),
    Schema.annotations({ jsonSchema: { type: "integer", minimum: min, maximum: max } })
  )

/** A local time, `HH:MM` in 24 hours. */
export const clockTime = (description: string, example: string) =>
  Schema.String.pipe(
    Schema.filter((value) => {
      const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(value) ?? []
      return (hours !== undefined && Number(hours) < 24 && Number(minutes) < 60) ||
        `Expected a local time HH:MM, such as ${example}`
    })
  ).annotations({
    description,
    jsonSchema: { description, type: "string", pattern: "^\\d{1,2}:\\d{2}$", examples: [example] }
  })

export const list = <A, I, R>(item: Schema.Schema<A, I, R>, max: number) => Schema.Array(item).pipe(Schema.maxItems(max))

/** Values by names. Of `__proto__`, which sets the prototype of what a record's schema makes, it would lose the value. */
export const map = <A, I, R>(key: Schema.Schema<string>, value: Schema.Schema<A, I, R>, max: number) =>
  Schema.Record({ key: key.pipe(Schema.filter((name) => name !== "__proto__")), value }).pipe(
    Schema.filter((entries) => Object.keys(entries).length <= max ? true : `At most ${max} entries`),
    Schema.annotations({ jsonSchema: { maxProperties: max } })
  )

/** The headers of a request at most: their number, and their names and values together in characters. */
const mostHeaders = 64
const longestHeaders = 65_536

/** Request headers by name. */
export const headerMap = map(text(200), text(4000), mostHeaders).pipe(
  Schema.filter((headers) =>
    Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0) <= longestHeaders ||
    `At most ${longestHeaders} characters of headers together`
  )
)

/** An absolute http or https URL of at most `max` characters. */
const urlOf = (max: number, protocols: RegExp, words: string) =>
  text(max).pipe(
    Schema.filter((value) => protocols.test(parsedUrl(value)?.protocol ?? "") ? true : `Expected an absolute ${words} URL`),
    Schema.annotations({ jsonSchema: { format: "uri" } })
  )

export const httpUrl = (max: number) => urlOf(max, /^https?:$/, "http or https")

/** A URL that some kind of monitor requests. */
export const targetUrl = (max: number) => urlOf(max, /^(?:https?|wss?):$/, "http, https, ws or wss")

/** An IANA time zone of at most `max` characters. Named zones only: an offset ignores daylight saving time. */
export const timezone = (max: number) =>
  text(max).pipe(
    Schema.filter((value) =>
      (/^[A-Za-z]/.test(value) && Option.isSome(DateTime.zoneMakeNamed(value))) ||
      "Expected an IANA time zone, such as Europe/Berlin"
    ),
    Schema.annotations({ jsonSchema: { type: "string", maxLength: max, examples: ["Europe/Athens"] } })
  )

/** Requires `Z` or an offset: `Date` would parse other times in the server's zone, and "1" as a year. */
const instantText = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i

/** Whether a text begins with a day of the calendar, `YYYY-MM-DD`: JavaScript takes 30 February for 2 March. */
export const beginsWithDay = (text: string): boolean => {
  const day = text.slice(0, 10)
  return Option.exists(DateTime.make(`${day}T00:00:00Z`), (at) => DateTime.formatIso(at).startsWith(day))
}

/** Decodes strings of the given form to a UTC instant; encodes to ISO 8601 with milliseconds and `Z`. */
const instantFrom = (form: RegExp, expected: string) =>
  Schema.transformOrFail(Schema.String, Schema.DateTimeUtcFromSelf, {
    decode: (written, _, ast) =>
      ParseResult.fromOption(
        Option.map(form.test(written) && beginsWithDay(written) ? DateTime.make(written) : Option.none(), DateTime.toUtc),
        () => new ParseResult.Type(ast, written, `Expected a time in ISO 8601 ${expected}, such as 2026-11-20T08:00:00Z`)
      ),
    encode: (at) => ParseResult.succeed(DateTime.formatIso(at))
  })

/** A UTC instant. Input can have any offset. */
export const Timestamp = instantFrom(instantText, "with Z or an offset").annotations({
  identifier: "Timestamp",
  description: "ISO 8601 in UTC with milliseconds, for example 2026-11-20T08:00:00.000Z",
  jsonSchema: {
    type: "string",
    format: "date-time",
    description: "ISO 8601 in UTC with milliseconds",
    examples: ["2026-11-20T08:00:00.000Z"]
  }
})

const utcText = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z$/

/** A UTC instant. Input must end in `Z`; offsets are rejected. */
export const TimestampZ = instantFrom(utcText, "in UTC, ending in Z").annotations({
  description: "ISO 8601 in UTC, ending in Z",
  jsonSchema: { type: "string", format: "date-time", pattern: "Z$", examples: ["2026-11-20T08:00:00.000Z"] }
})

/** The words for a boolean where everything is text: in forms and queries. */
const flagWords = { yes: ["true", "1", "yes", "on"], no: ["false", "0", "no", "off"] }

/** The boolean that a word of a form or a query means; undefined for any other word. */
export const flagOf = (word: string): boolean | undefined => {
  const given = word.trim().toLowerCase()
  return flagWords.yes.includes(given) ? true : flagWords.no.includes(given) ? false : undefined
}

/** A boolean in a query string. */
export const FlagText = Schema.transformOrFail(Schema.String, Schema.Boolean, {
  strict: true,
  decode: (word, _, ast) =>
    ParseResult.fromOption(
      Option.fromNullable(flagOf(word)),
      () => new ParseResult.Type(ast, word, "Expected true or false")
    ),
  encode: (value) => ParseResult.succeed(String(value))
}).annotations({ jsonSchema: { type: "boolean" } })

/** Milliseconds since 1970 as a UTC instant. */
export const instant = (millis: number): DateTime.Utc => DateTime.unsafeMake(millis)
