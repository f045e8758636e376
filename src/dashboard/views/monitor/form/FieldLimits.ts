/** The limits of a monitor's settings, as attributes of input fields. They are those of the schema that the operations check. */
import { JSONSchema, Schema } from "effect"
import { MonitorUpdate } from "../../../../../schema/monitor/Monitor.ts"

const Bounds = Schema.Struct({
  minimum: Schema.optional(Schema.Number),
  maximum: Schema.optional(Schema.Number),
  maxLength: Schema.optional(Schema.Number)
})
type Bounds = typeof Bounds.Type

const Document = Schema.Struct({
  $defs: Schema.Struct({
    MonitorUpdate: Schema.Struct({
      properties: Schema.Record({
        key: Schema.String,
        value: Schema.Struct({ ...Bounds.fields, anyOf: Schema.optional(Schema.Array(Bounds)) })
      })
    })
  })
})

const { $defs: { MonitorUpdate: { properties } } } = Schema.decodeUnknownSync(Document)(JSONSchema.make(MonitorUpdate))

/** A setting that can be null has the bounds of its other type. */
const boundsOf = (name: string): Bounds => {
  const property = properties[name]
  return property?.anyOf?.[0] ?? property ?? {}
}

export const limitsOf = (name: keyof MonitorUpdate): Readonly<Record<string, string | number>> => {
  const { maxLength, maximum, minimum } = boundsOf(name)
  return {
    ...(minimum === undefined ? {} : { min: minimum }),
    ...(maximum === undefined ? {} : { max: maximum }),
    ...(maxLength === undefined ? {} : { maxlength: maxLength })
  }
}

/** `30 to 2,678,400`. */
export const rangeOf = (name: keyof MonitorUpdate, count: (value: number) => string): string => {
  const { maximum, minimum } = boundsOf(name)
  return minimum === undefined || maximum === undefined ? "" : `${count(minimum)} to ${count(maximum)}`
}
