/** A push: what a component's own watcher says of it, and what came of saying it. */
import { ParseResult, Schema } from "effect"
import { Flag, optional, text, textLike, Timestamp } from "../Fields.ts"
import { ComponentId } from "../Ids.ts"
import { ComponentKey, ComponentStatus, EffectiveStatus } from "./Component.ts"

/** Every word that names a status, in small letters. */
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

/** A status in the words of those who report it: a status itself, `ok` or `up`, `fail` or `down`, a boolean, 1 or 0. */
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
    description: "A status; ok, up, true or 1 for operational; fail, down, false or 0 for major_outage",
    anyOf: [{ type: "string", enum: texts }, { type: "boolean" }, { type: "integer", enum: [0, 1] }]
  }
})

export const PushInput = Schema.Struct({
  status: PushedStatus,
  message: optional(text(500).annotations({ description: "Shown beside the status, on the page too" })),
  confirmed: optional(Flag.annotations({ description: "The status is sure: shown at once, without further confirmations" })),
  observedAt: optional(
    Timestamp.annotations({
      description: "When it was observed. The same instant sent again is no new confirmation, one older than the last is ignored"
    })
  )
}).annotations({ identifier: "PushInput" })
export type PushInput = typeof PushInput.Type

/** What became of a push. */
export const Taken = Schema.Literal("counted", "repeated", "outdated")
export type Taken = typeof Taken.Type

export const PushReceipt = Schema.Struct({
  ok: Schema.Literal(true),
  component: Schema.Struct({ id: ComponentId, key: ComponentKey, name: textLike("Checkout") }),
  reported: ComponentStatus.annotations({ description: "The status that was understood" }),
  taken: Taken.annotations({
    description: "repeated: this observation was reported before; outdated: a newer one was, so this one is ignored"
  }),
  status: EffectiveStatus.annotations({ description: "What the component shows now" }),
  statusMessage: Schema.NullOr(Schema.String),
  awaiting: Schema.NullOr(Schema.Struct({
    reports: Schema.Int.annotations({ description: "Worse reports in a row so far" }),
    confirmations: Schema.Int.annotations({ description: "How many it takes to show" })
  })).annotations({ description: "Set while a worse status waits for more reports that say so" })
}).annotations({ identifier: "PushReceipt" })
export type PushReceipt = typeof PushReceipt.Type

/** What a component's actor remembers of its pushes. Times are milliseconds since 1970. */
export const PushState = Schema.Struct({
  shown: EffectiveStatus,
  since: Schema.Number.annotations({ description: "When what is shown began: at the first report that said so" }),
  message: Schema.NullOr(Schema.String),
  streak: Schema.Array(Schema.Struct({ status: ComponentStatus, at: Schema.Number })).annotations({
    description: "The last reports in a row that were worse than what is shown, as far as they can still confirm it"
  }),
  observedAt: Schema.NullOr(Schema.Number).annotations({ description: "The observation of the last report, as it was given" }),
  heardUpTo: Schema.NullOr(Schema.Number).annotations({ description: "The newest observation, never later than its arrival" }),
  arrivedAt: Schema.NullOr(Schema.Number).annotations({
    description: "When the last push came in; the time to live runs from here"
  })
})
export type PushState = typeof PushState.Type
