/** The data of `test.ping`. */
import { Schema } from "effect"
import { ChannelId } from "../Ids.ts"

export const TestPing = Schema.Struct({
  message: Schema.String,
  channel: Schema.Struct({ id: ChannelId, name: Schema.String })
})
