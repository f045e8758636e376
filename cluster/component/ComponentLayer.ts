/** The component actors of a runner. */
import { Layer } from "effect"
import { ComponentAnnouncer } from "../../src/services/component/ComponentAnnouncer.ts"
import { ComponentActor } from "./ComponentActor.ts"

export const componentActors = Layer.provide(ComponentActor, ComponentAnnouncer.Default)
