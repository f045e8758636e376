/** Serves the public status of a page from memory, with an ETag. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { PublicPages } from "../../operations/page/PublicPages.ts"
import { PublicResponseTimes } from "../../operations/page/PublicResponseTimes.ts"
import { ManageSubscription } from "../../operations/subscriber/ManageSubscription.ts"
import { Subscribe } from "../../operations/subscriber/Subscribe.ts"
import { answer, publicCaching } from "../../pages/Answer.ts"
import type { PageForm } from "../../pages/PageForm.ts"
import { PageViews } from "../../pages/PageViews.ts"
import { makeApplicantOf } from "../request/Applicant.ts"
import { gone } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 20

export const PublicStatusLive = operationGroup(Api, "Public status", (handlers) =>
  Effect.gen(function*() {
    const pages = yield* PublicPages
    const views = yield* PageViews
    const times = yield* PublicResponseTimes
    const subscribing = yield* Subscribe
    const subscription = yield* ManageSubscription
    const applicantOf = yield* makeApplicantOf

    const shown = Effect.fnUntraced(function*(slug: string, form: PageForm) {
      const { snapshot, stale } = yield* pages.get(slug)
      const { document, isOlder } = yield* views.of(snapshot, form)
      return yield* answer(document, { status: 200, ...publicCaching(stale || isOlder) })
    })

    return handlers
      // Raw handlers, because each form is encoded once and clients with the current version get a 304.
      .handleRaw("public_page_status", ({ path, urlParams: { history = true } }) => shown(path.slug, { _tag: "Json", history }))
      .handleRaw("public_list_incidents", ({ path, urlParams: { before = null, limit = defaultLimit } }) =>
        shown(path.slug, { _tag: "IncidentList", limit, before }))
      .handleRaw("public_get_incident", ({ path }) =>
        shown(path.slug, { _tag: "IncidentJson", id: path.id }))
      .handle("public_subscribe", ({ path, payload, request }) => subscribing.create(path.slug, payload, applicantOf(request)))
      .handle("public_get_subscription", ({ path, urlParams }) => subscription.get(path.id, urlParams.token))
      .handle(
        "public_update_subscription",
        ({ path, payload }) => subscription.update(path.id, payload.token, payload)
      )
      .handle("public_unsubscribe", ({ path, urlParams }) => Effect.map(subscription.unsubscribe(path.id, urlParams.token), gone))
      .handle(
        "public_response_times",
        ({ path, urlParams: { range = "24h" } }) => times.get(path.slug, path.component, range)
      )
  }))
