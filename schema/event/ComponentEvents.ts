/** The data of `component.*` events. */
import { Schema } from "effect"
import { Component, EffectiveStatus } from "../component/Component.ts"

/** A component as events carry it: what visitors see of it, never how to push to it. */
const EventComponent = Component.pipe(
  Schema.pick("id", "key", "name", "description", "group", "status", "statusMessage", "updatedAt")
).annotations({ identifier: "EventComponent" })

export const ComponentStatusChanged = Schema.Struct({ component: EventComponent, from: EffectiveStatus, to: EffectiveStatus })
