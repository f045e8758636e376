/** The data of `component.*` events. */
import { Schema } from "effect"
import { Component, EffectiveStatus } from "../component/Component.ts"

/** A component as it appears in events: the fields that visitors see, never the pushUrl. */
const EventComponent = Component.pipe(
  Schema.pick("id", "key", "name", "description", "group", "status", "statusMessage", "updatedAt")
).annotations({ identifier: "EventComponent" })

export const ComponentStatusChanged = Schema.Struct({ component: EventComponent, from: EffectiveStatus, to: EffectiveStatus })
