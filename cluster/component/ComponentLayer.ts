/** The component actors of a runner. */
import { Layer } from "effect"
import { ComponentActor } from "./ComponentActor.ts"
import { ComponentAnnouncer } from "./ComponentAnnouncer.ts"

export const componentActors = Layer.provide(ComponentActor, ComponentAnnouncer.Default)
