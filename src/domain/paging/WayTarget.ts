/** The targets of deliveries that are contact ways of people, beside the types of channels. */
import { Schema } from "effect"
import { ChannelType } from "../../../schema/alert/Channel.ts"
import type { AddedWayKind } from "../../../schema/oncall/Way.ts"

/** Kinds of ways and types of channels have names in common. */
const kinds = {
  "person.push": "push",
  "person.sms": "sms",
  "person.voice": "voice",
  "person.slack": "slack",
  "person.telegram": "telegram",
  "person.discord": "discord"
} as const satisfies Readonly<Record<`person.${AddedWayKind}`, AddedWayKind>>

const WayTarget = Schema.Literal("person.push", "person.sms", "person.voice", "person.slack", "person.telegram", "person.discord")
export type WayTarget = typeof WayTarget.Type

export const isWayTarget = Schema.is(WayTarget)

export const kindOfWay = (target: WayTarget): AddedWayKind => kinds[target]

/** The receiver of a delivery. */
export const TargetType = Schema.Union(ChannelType, WayTarget)
export type TargetType = typeof TargetType.Type
