/** Accepts the statuses of several components of a page in one call. */
import { Effect, Predicate } from "effect"
import type { ComponentStatus } from "../../../schema/component/Component.ts"
import type { PagePushInput } from "../../../schema/component/Push.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { ComponentEdits } from "../../store/component/ComponentEdits.ts"
import { Pages } from "../../store/page/Pages.ts"
import { requirePage } from "../page/RequirePage.ts"
import { TakePush } from "./TakePush.ts"

/** Each push is a transaction of its component's actor. */
const atOnce = 8

interface Given {
  readonly status: ComponentStatus
  readonly message?: string
}

const givenOf = (entry: PagePushInput["statuses"][string]): Given => Predicate.isString(entry) ? { status: entry } : entry

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

export class PushPageStatus extends Effect.Service<PushPageStatus>()("belltower/PushPageStatus", {
  effect: Effect.gen(function*() {
    const pages = yield* Pages
    const edits = yield* ComponentEdits
    const { report } = yield* TakePush

    /**
     * Nothing is accepted if one key is invalid. Fails with `not_found` for the page, with `validation_failed` for a key without
     * a pushed component, and with `unavailable` if a runner does not answer; the statuses may then be sent again.
     */
    const push = Effect.fn("PushPageStatus.push")(
      function*(workspaceId: WorkspaceId, pageIdOrSlug: string, { statuses }: PagePushInput) {
        const { id } = yield* requirePage(pages, workspaceId, pageIdOrSlug)
        const keys = Object.keys(statuses)
        const found = new Map((yield* edits.keyed(workspaceId, id, keys)).map((component) => [component.key, component]))
        const refusals = keys.flatMap((key) => refusalOf(key, found.get(key)))
        if (refusals.length > 0) return yield* validationFailure(refusals)
        const reports = Object.entries(statuses).flatMap(([key, entry]) => {
          const component = found.get(key)
          return component === undefined ? [] : [report(workspaceId, component.id, givenOf(entry))]
        })
        const receipts = yield* Effect.all(reports, { concurrency: atOnce })
        return { ok: true as const, components: receipts.flatMap((receipt) => receipt ?? []) }
      }
    )

    return { push }
  }),
  dependencies: [TakePush.Default, ComponentEdits.Default]
}) {}
