/**
 * Accepts pushed statuses and passes them to the actors of their components: by a component's token, or for several components
 * of a page.
 */
import { DateTime, Duration, Effect, Predicate } from "effect"
import { ComponentEntity, entityId } from "../../../cluster/component/ComponentProtocol.ts"
import type { PagePushInput, PushInput } from "../../../schema/component/Push.ts"
import { NotFound, Unavailable } from "../../../schema/Errors.ts"
import type { ComponentId, WorkspaceId } from "../../../schema/Ids.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { withEmptyContext } from "../../loops/WorkPriority.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { ComponentEdits } from "../../store/component/ComponentEdits.ts"
import { Components } from "../../store/component/Components.ts"
import { Pages } from "../../store/page/Pages.ts"
import { foundOr, requirePage } from "../NoSuch.ts"

/** Counted per component, not per token, so that only the component's own table stores data derived from the token. */
const pushes: RateLimit = { name: "push", limit: 120, window: Duration.minutes(1) }

/** The most by which the sender's clock may be ahead of the server's. */
const maxClockLead = Duration.minutes(5)

/** Longer than a runner needs to take over from a killed one. */
const askTimeout = "20 seconds"

const unanswered = () =>
  new Unavailable({
    message: "The push could not be processed",
    hint: "Send it again in a few seconds. With observedAt, repeated pushes count once"
  })

const noSuchToken = new NotFound({
  message: "No component has this push token",
  hint: "Copy the token from the pushUrl of a component that was created with push=true"
})

const fromTheFuture = validationFailure([{
  path: "observedAt",
  message: "observedAt is more than 5 minutes in the future",
  hint: "Correct the clock of the sending machine, or omit observedAt"
}])

/** Pushes of a page at a time; each is a transaction of its component's actor. */
const atOnce = 8

const refusalOf = (key: string, component: { readonly push: boolean } | undefined): ReadonlyArray<Refusal> =>
  component === undefined
    ? [{ path: `statuses.${key}`, message: `The page has no component with the key ${key}` }]
    : component.push
    ? []
    : [{
      path: `statuses.${key}`,
      message: `The component ${key} takes no pushes`,
      hint: "Set push to true with PATCH /api/v1/components/{id}, or fix its status with POST /api/v1/components/{id}/override"
    }]

const reportOf = ({ confirmed = false, message, observedAt, status }: PushInput) => ({
  status,
  message: message === undefined || message.trim() === "" ? null : message.trim(),
  confirmed,
  observedAt: observedAt === undefined ? null : DateTime.toEpochMillis(observedAt)
})

export class TakePush extends Effect.Service<TakePush>()("belltower/TakePush", {
  effect: Effect.gen(function*() {
    const components = yield* Components
    const pages = yield* Pages
    const edits = yield* ComponentEdits
    const limits = yield* RateLimits
    const component = yield* ComponentEntity.client

    /** Commits a report of a component's status; null if the component no longer takes any. Fails with `unavailable`. */
    const report = Effect.fn("TakePush.report")((workspaceId: WorkspaceId, id: ComponentId, input: PushInput) =>
      withEmptyContext(component(entityId(workspaceId, id)).Push(reportOf(input))).pipe(
        Effect.timeoutFail({ duration: askTimeout, onTimeout: unanswered }),
        Effect.catchTags({ MailboxFull: unanswered, AlreadyProcessingMessage: unanswered, PersistenceError: unanswered })
      )
    )

    /** Fails with `not_found`, `rate_limited` above 120 a minute, `validation_failed` for the future, and `unavailable`. */
    const take = Effect.fn("TakePush.take")(function*(token: string, input: PushInput) {
      const { id, workspaceId } = yield* foundOr(components.pushedBy(token), () => noSuchToken)
      yield* limits.take(pushes, id)
      const latest = DateTime.addDuration(yield* DateTime.now, maxClockLead)
      if (input.observedAt !== undefined && DateTime.greaterThan(input.observedAt, latest)) return yield* fromTheFuture
      return (yield* report(workspaceId, id, input)) ?? (yield* noSuchToken)
    })

    /** Takes all or none. Fails with `not_found`, `validation_failed` for a key that takes no pushes, and `unavailable`. */
    const push = Effect.fn("TakePush.push")(
      function*(workspaceId: WorkspaceId, pageIdOrSlug: string, { statuses }: PagePushInput) {
        const { id } = yield* requirePage(pages, workspaceId, pageIdOrSlug)
        const keys = Object.keys(statuses)
        const found = new Map((yield* edits.keyed(workspaceId, id, keys)).map((component) => [component.key, component]))
        const refusals = keys.flatMap((key) => refusalOf(key, found.get(key)))
        if (refusals.length > 0) return yield* validationFailure(refusals)
        const reports = Object.entries(statuses).flatMap(([key, entry]) => {
          const component = found.get(key)
          const input = Predicate.isString(entry) ? { status: entry } : entry
          return component === undefined ? [] : [report(workspaceId, component.id, input)]
        })
        const receipts = yield* Effect.all(reports, { concurrency: atOnce })
        return { ok: true as const, components: receipts.flatMap((receipt) => receipt ?? []) }
      }
    )

    return { take, push }
  }),
  dependencies: [ComponentEdits.Default]
}) {}
