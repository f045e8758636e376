/** The wire format of bus messages: JSON of the schemas in schema/check/Bus.ts, each decoder compiled once. */
import { Effect, Option, Schema } from "effect"
import { Counter } from "prom-client"
import { Assignment, Beat, CheckCancel, CheckRequest, CheckResult, ServerTime } from "../../schema/check/Bus.ts"
import { isPlainResult } from "./PlainResult.ts"

export interface Wire<A> {
  readonly encode: (value: A) => string
  /** None when the bytes are not such a message. */
  readonly decode: (bytes: Uint8Array | null) => Option.Option<A>
}

const readJson = Option.liftThrowable((bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString("utf8")))

/**
 * Takes only schemas without transformations: with `A extends I` a value is its own encoding, for about 1 µs. Values that
 * `isPlain` accepts skip the schema.
 */
const wire = <A extends I, I>(schema: Schema.Schema<A, I>, isPlain: (value: unknown) => value is A): Wire<A> => {
  const decode = Schema.decodeUnknownOption(schema)
  return {
    encode: (value) => JSON.stringify(value),
    decode: (bytes) =>
      bytes === null
        ? Option.none()
        : Option.flatMap(readJson(bytes), (value) => isPlain(value) ? Option.some(value) : decode(value))
  }
}

const never = (_: unknown): _ is never => false

export const assignmentWire = wire(Assignment, never)
export const resultWire = wire(CheckResult, isPlainResult)
export const beatWire = wire(Beat, never)
export const timeWire = wire(ServerTime, never)
export const requestWire = wire(Schema.Union(CheckRequest, CheckCancel), never)

const unreadable = new Counter({
  name: "belltower_bus_unreadable_messages_total",
  help: "Bus messages that were skipped because they could not be decoded",
  labelNames: ["topic"]
})

/** Counts skipped messages and logs their position, never their content. */
export const skipUnreadable = Effect.fn("Wire.skipUnreadable")(function*(
  topic: string,
  partition: number,
  offsets: ReadonlyArray<string>
) {
  if (offsets.length === 0) return
  unreadable.inc({ topic }, offsets.length)
  const where = `${topic}/${partition}, the first at ${offsets[0]}`
  yield* Effect.logError(`Skipped ${offsets.length} unreadable messages of ${where}`)
})
