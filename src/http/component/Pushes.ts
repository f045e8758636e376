/** Takes in what components' own watchers say of them; the token in the path is the credential. */
import { DateTime, Duration, Effect, Option } from "effect"
import type { PushInput } from "../../../schema/component/Push.ts"
import { ValidationFailed } from "../../../schema/Errors.ts"
import { noSuchToken, TakePush } from "../../operations/component/TakePush.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { Components } from "../../store/component/Components.ts"
import { pushes } from "../guard/Limits.ts"

/** How far a pusher's clock may be ahead of ours. */
const ahead = Duration.minutes(5)

const fromTheFuture = new ValidationFailed({
  message: "observedAt: More than 5 minutes in the future",
  hint: "Set the clock of the machine that pushes, or leave observedAt out",
  details: [{ path: "observedAt", message: "More than 5 minutes in the future" }]
})

/** Counted by component and not by token, so that no table but the component's own holds a trace of it. */
export const pushStatus = Effect.fn("Pushes.push")(function*(token: string, input: PushInput) {
  const found = yield* Effect.flatMap(Components, (components) => components.pushedBy(token))
  if (Option.isNone(found)) return yield* noSuchToken
  const { id, workspaceId } = found.value
  yield* Effect.flatMap(RateLimits, (limits) => limits.take(pushes, id))
  const latest = DateTime.addDuration(yield* DateTime.now, ahead)
  if (input.observedAt !== undefined && DateTime.greaterThan(input.observedAt, latest)) return yield* fromTheFuture
  return yield* Effect.flatMap(TakePush, (pushing) => pushing.take(workspaceId, id, input))
})
