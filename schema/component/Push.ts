/** A push: a status report for a component from an external system, and its result. */
import { ParseResult, Schema } from "effect"
import { fromTarget, map, optional, orNull, text, textLike, Timestamp } from "../Fields.ts"
import { ComponentId } from "../Ids.ts"
import { ComponentKey, ComponentStatus, EffectiveStatus } from "./Component.ts"

const words: ReadonlyMap<string, ComponentStatus> = new Map([
  ...ComponentStatus.literals.map((status) => [status, status] as const),
  ["ok", "operational"],
  ["up", "operational"],
  ["true", "operational"],
  ["1", "operational"],
  ["fail", "major_outage"],
  ["down", "major_outage"],
  ["false", "major_outage"],
  ["0", "major_outage"]
])

const texts = [...words.keys()].filter((word) => !/^\d/.test(word))

const expected = `Expected one of ${texts.join(", ")}, 1 or 0`

/** A status as reporters send it: a status itself, `ok` or `up`, `fail` or `down`, a boolean, 1 or 0. */
export const PushedStatus = Schema.transformOrFail(
  Schema.Union(Schema.String, Schema.Boolean, Schema.Number),
  Schema.typeSchema(ComponentStatus),
  {
    strict: true,
    decode: (given, _, ast) => {
      const status = words.get(String(given).trim().toLowerCase())
      return status === undefined
        ? ParseResult.fail(new ParseResult.Type(ast, given, expected))
        : ParseResult.succeed(status)
    },
    encode: ParseResult.succeed
  }
).annotations({
  jsonSchema: {
    description: "ok, up, true, 1: operational; fail, down, false, 0: major_outage",
    anyOf: [{ type: "string", enum: texts }, { type: "boolean" }, { type: "integer", enum: [0, 1] }]
  }
})

/** In characters. A plain text is cut to this length; a longer field is rejected. */
export const longestPushMessage = 500

export const PushInput = Schema.Struct({
  status: PushedStatus,
  message: optional(text(longestPushMessage), "Shown next to the status"),
  confirmed: optional(
    Schema.Boolean,
    "Whether it takes effect immediately"
  ),
  observedAt: optional(
    Timestamp,
    "Time of observation; a repeated one confirms nothing"
  )
}).annotations({ identifier: "PushInput" })
export type PushInput = typeof PushInput.Type

/** A page's components report together: by key, a status or a status with a message. */
export const PagePushInput = Schema.Struct({
  statuses: map(
    ComponentKey,
    Schema.Union(PushedStatus, Schema.Struct({ status: PushedStatus, message: optional(text(longestPushMessage)) })),
    500
  ).annotations({
    description: "By component key",
    examples: [{ checkout: "operational" }]
  })
}).annotations({ identifier: "PagePushInput" })
export type PagePushInput = typeof PagePushInput.Type

export const Taken = Schema.Literal("counted", "repeated", "outdated")
export type Taken = typeof Taken.Type

export const PushReceipt = Schema.Struct({
  ok: Schema.Literal(true),
  component: Schema.Struct({ id: ComponentId, key: ComponentKey, name: textLike("Checkout") }),
  reported: ComponentStatus.annotations({ description: "Status that the push reported" }),
  taken: Taken.annotations({
    description:
      "How the push was handled. repeated: this observation was already reported. outdated: ignored, a newer one was reported"
  }),
  status: EffectiveStatus.annotations({ description: "Status that the component shows now" }),
  statusMessage: fromTarget(orNull(Schema.String, "Text that came with the status; null without one")),
  awaiting: orNull(
    Schema.Struct({
      reports: Schema.Int.annotations({ description: "Consecutive reports of a worse status so far" }),
      confirmations: Schema.Int.annotations({ description: "Reports required for the status to take effect" })
    }),
    "Set while a worse status waits for confirmation"
  )
}).annotations({ identifier: "PushReceipt" })
export type PushReceipt = typeof PushReceipt.Type

/** The push state that a component's actor keeps. Times are milliseconds since 1970. */
export const PushState = Schema.Struct({
  shown: EffectiveStatus,
  since: Schema.Number.annotations({ description: "Start of the shown status: the time of the first report with it" }),
  message: Schema.NullOr(Schema.String),
  streak: Schema.Array(Schema.Struct({ status: ComponentStatus, at: Schema.Number })).annotations({
    description: "The latest consecutive reports that are worse than the shown status and can still confirm a change"
  }),
  observedAt: orNull(Schema.Number, "observedAt of the last report, as sent"),
  heardUpTo: orNull(Schema.Number, "Time of the newest observation, never later than its arrival"),
  arrivedAt: orNull(Schema.Number, "Arrival of the last push; pushTtlSec counts from here")
})
export type PushState = typeof PushState.Type
