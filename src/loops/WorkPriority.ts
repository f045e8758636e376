/** The priority of a fiber's work: it decides who gets a database connection first when there are too few. */
import { Context, Effect, Fiber, Option } from "effect"
import type { Priority } from "../domain/tools/queues/ConnectionShares.ts"

class CurrentPriority extends Context.Reference<CurrentPriority>()("belltower/WorkPriority", {
  defaultValue: (): Priority => "request"
}) {}

/** The owner of a fiber's work: a workspace's id, or an unknown client's address. Null for the program itself. */
export class WorkOwner extends Context.Reference<WorkOwner>()("belltower/WorkOwner", {
  defaultValue: (): string | null => null
}) {}

/** The contexts of work that needs no services. */
export const urgentContext: Context.Context<never> = Context.make(CurrentPriority, "urgent")
export const backgroundContext: Context.Context<never> = Context.make(CurrentPriority, "bulk")

/** Runs an effect, and the fibers that it forks, as urgent work. */
export const urgently = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, CurrentPriority, "urgent")

/** Runs background work, which nobody gives up on; what is urgent stays urgent. */
export const inBackground = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    CurrentPriority,
    (priority) => priority === "request" ? Effect.provideService(effect, CurrentPriority, "bulk") : effect
  )

/** Runs the part of a background loop that callers wait for. */
export const forCallers = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, CurrentPriority, "request")

/** Runs work that needs no services without any: fibers and messages to actors would copy them all. */
export const withEmptyContext = <A, E>(effect: Effect.Effect<A, E>, priority = backgroundContext): Effect.Effect<A, E> =>
  Effect.mapInputContext(effect, (_: Context.Context<never>) => priority)

export const priorityOfFiber = (): Priority =>
  Option.match(Fiber.getCurrentFiber(), {
    onNone: () => "request",
    onSome: (fiber) => Context.get(fiber.currentContext, CurrentPriority)
  })

export const ownerOfFiber = (): string | null =>
  Option.match(Fiber.getCurrentFiber(), {
    onNone: () => null,
    onSome: (fiber) => Context.get(fiber.currentContext, WorkOwner)
  })
