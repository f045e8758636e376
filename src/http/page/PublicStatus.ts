/** Serves the public status of a page from memory, with an ETag. */
import { HttpServerRequest } from "@effect/platform"
import { DateTime, Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { allTime } from "../../domain/page/Month.ts"
import { PublicIncidents } from "../../operations/page/PublicIncidents.ts"
import { PublicPages } from "../../operations/page/PublicPages.ts"
import { PublicResponseTimes } from "../../operations/page/PublicResponseTimes.ts"
import { ManageSubscription } from "../../operations/subscriber/ManageSubscription.ts"
import { Subscribe } from "../../operations/subscriber/Subscribe.ts"
import { answer, publicCaching } from "../../pages/Answer.ts"
import { PageViews } from "../../pages/PageViews.ts"
import { clientAddress } from "../request/ClientAddress.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 20

export const PublicStatusLive = operationGroup(Api, "Public status", (handlers) =>
  Effect.gen(function*() {
    const pages = yield* PublicPages
    const history = yield* PublicIncidents
    const views = yield* PageViews
    const times = yield* PublicResponseTimes
    const subscribing = yield* Subscribe
    const subscription = yield* ManageSubscription

    return handlers
      // A raw handler, because the snapshot is encoded once and clients with the current version get a 304.
      .handleRaw("public_page_status", ({ path, urlParams }) =>
        Effect.flatMap(pages.get(path.slug), ({ snapshot, stale }) =>
          Effect.flatMap(views.json(snapshot, urlParams.history ?? true), (document) =>
            answer(document, { status: 200, ...publicCaching(stale) }))))
      // Raw handlers, like the page's own.
      .handleRaw("public_list_incidents", ({ path, urlParams: { before, limit = defaultLimit } }) =>
        Effect.gen(function*() {
          const { snapshot, stale } = yield* pages.get(path.slug)
          const period = { ...allTime, ...(before === undefined ? {} : { before }), limit }
          const found = yield* history.between(snapshot, period)
          const name = `${limit} ${DateTime.formatIso(period.before)}`
          const document = yield* views.of(snapshot, { _tag: "IncidentList", period: name, ...found })
          return yield* answer(document, { status: 200, ...publicCaching(stale) })
        }))
      .handleRaw("public_get_incident", ({ path }) =>
        Effect.gen(function*() {
          const { snapshot, stale } = yield* pages.get(path.slug)
          const incident = yield* history.one(snapshot, path.id)
          const document = yield* views.of(snapshot, { _tag: "IncidentJson", incident })
          return yield* answer(document, { status: 200, ...publicCaching(stale) })
        }))
      .handle("public_subscribe", ({ path, payload }) =>
        Effect.flatMap(
          HttpServerRequest.HttpServerRequest,
          (request) =>
            subscribing.create(path.slug, payload, clientAddress(request))
        ))
      .handle("public_get_subscription", ({ path, urlParams }) =>
        subscription.get(path.id, urlParams.token))
      .handle(
        "public_update_subscription",
        ({ path, payload }) => subscription.update(path.id, payload.token, payload.components)
      )
      .handle("public_unsubscribe", ({ path, urlParams }) =>
        Effect.map(subscription.unsubscribe(path.id, urlParams.token), (id) => ({ id, deleted: true as const })))
      .handle("public_response_times", ({ path, urlParams }) =>
        times.get(path.slug, path.component, urlParams.range ?? "24h"))
  }))
