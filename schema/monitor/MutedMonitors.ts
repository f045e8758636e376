/** The monitors that a maintenance window or a mute covers: all of them as a number, the first ones by name. */
import { Schema } from "effect"
import { textLike } from "../Fields.ts"
import { MonitorId } from "../Ids.ts"

export const MutedMonitors = Schema.Struct({
  count: Schema.Int.annotations({ description: "How many monitors it mutes", examples: [1] }),
  monitors: Schema.Array(Schema.Struct({ id: MonitorId, name: textLike("Checkout API") })).annotations({
    description: "The first 100 by name; in a list the first 10"
  })
}).annotations({ identifier: "MutedMonitors" })
export type MutedMonitors = typeof MutedMonitors.Type

export const mutesNone = (answer: string) =>
  Schema.Array(textLike(answer)).annotations({ description: "Says why it mutes no monitor; missing if it mutes some" })
