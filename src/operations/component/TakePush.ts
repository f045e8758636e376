/** Accepts a pushed status and hands it to its component's actor; the token is the only credential. */
import { DateTime, Duration, Effect, Option } from "effect"
import { ComponentEntity, entityId } from "../../../cluster/component/ComponentProtocol.ts"
import { withEmptyContext } from "../../../cluster/MinimalContext.ts"
import type { PushInput } from "../../../schema/component/Push.ts"
import { NotFound, Unavailable, ValidationFailed } from "../../../schema/Errors.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { Components } from "../../store/component/Components.ts"

/** Counted by component, not by token: no other table than the component's own stores a trace of the token. */
const pushes: RateLimit = { name: "push", limit: 120, window: Duration.minutes(1) }

/** How far a pusher's clock may be ahead of ours. */
const ahead = Duration.minutes(5)

/** Longer than another runner needs to take over from one that was killed. */
const askTimeout = "20 seconds"

const unanswered = () =>
  new Unavailable({
    message: "The push could not be processed",
    hint: "Send it again in a moment; with observedAt it is counted once, however often it is sent"
  })

const noSuchToken = new NotFound({
  message: "No component has this push token",
  hint: "The pushUrl of a component made with push=true holds its token"
})

const fromTheFuture = new ValidationFailed({
  message: "observedAt: More than 5 minutes in the future",
  hint: "Set the clock of the machine that pushes, or leave observedAt out",
  details: [{ path: "observedAt", message: "More than 5 minutes in the future" }]
})

/** The push as the actor's protocol carries it. */
const reportOf = ({ confirmed = false, message, observedAt, status }: PushInput) => ({
  status,
  message: message === undefined || message.trim() === "" ? null : message.trim(),
  confirmed,
  observedAt: observedAt === undefined ? null : DateTime.toEpochMillis(observedAt)
})

export class TakePush extends Effect.Service<TakePush>()("belltower/TakePush", {
  effect: Effect.gen(function*() {
    const components = yield* Components
    const limits = yield* RateLimits
    const component = yield* ComponentEntity.client

    /**
     * What the component shows after the push, which is committed by then. Fails with `not_found` for an unknown token, with
     * `rate_limited` beyond 120 a minute, with `validation_failed` for an `observedAt` in the future and with `unavailable`
     * when no runner answers.
     */
    const take = Effect.fn("TakePush.take")(function*(token: string, input: PushInput) {
      const found = yield* components.pushedBy(token)
      if (Option.isNone(found)) return yield* noSuchToken
      const { id, workspaceId } = found.value
      yield* limits.take(pushes, id)
      const latest = DateTime.addDuration(yield* DateTime.now, ahead)
      if (input.observedAt !== undefined && DateTime.greaterThan(input.observedAt, latest)) return yield* fromTheFuture
      const receipt = yield* withEmptyContext(component(entityId(workspaceId, id)).Push(reportOf(input))).pipe(
        Effect.timeoutFail({ duration: askTimeout, onTimeout: unanswered }),
        Effect.catchTags({ MailboxFull: unanswered, AlreadyProcessingMessage: unanswered, PersistenceError: unanswered })
      )
      return receipt ?? (yield* noSuchToken)
    })

    return { take }
  })
}) {}
