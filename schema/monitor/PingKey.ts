/** A workspace's ping key: jobs that know it ping a heartbeat by its name. */
import { Schema } from "effect"
import { optional, orNull, textLike, Timestamp } from "../Fields.ts"

export const PingKey = Schema.Struct({
  pingUrl: orNull(
    textLike("https://status.example.com/ping/9fKq2LmZ7xT0bVwRj4sYcH"),
    "Add a slash and the slug of a heartbeat's name. Keep it secret. Null without a key"
  ),
  create: Schema.Boolean.annotations({ description: "Whether a ping with create=1 makes the heartbeat of an unknown slug" }),
  createdAt: orNull(Timestamp, "null without a key")
}).annotations({ identifier: "PingKey" })
export type PingKey = typeof PingKey.Type

export const PingKeyInput = Schema.Struct({
  create: optional(Schema.Boolean, "Whether a ping with create=1 makes the heartbeat of an unknown slug; default false")
}).annotations({ identifier: "PingKeyInput", examples: [{ create: true }] })
export type PingKeyInput = typeof PingKeyInput.Type
