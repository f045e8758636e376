/** The pages behind the links of mails: confirming, changing and ending a subscription, and leaving an email channel. */
import { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import type { ComponentChildren } from "preact"
import { NotFound, statusOf } from "../../../schema/Errors.ts"
import type { Language } from "../../../schema/page/Page.ts"
import { preferredLanguage, subscriptionWords } from "../../domain/page/Languages.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import type { SubscriptionWords } from "../../domain/words/en.ts"
import { readText } from "../../http/request/RequestBody.ts"
import { Links } from "../../links/Links.ts"
import { LeaveChannel } from "../../operations/alert/LeaveChannel.ts"
import { ManageSubscription } from "../../operations/subscriber/ManageSubscription.ts"
import { showSheet } from "../../pages/html/Sheet.tsx"
import { AskPage, InvalidLink, ManagePage, SubscriptionNote } from "../../pages/html/SubscriptionPages.tsx"
import { goTo } from "../Forms.ts"
import { pages, param, queryParam } from "./PageRouter.ts"
import { componentsOf, kindsOf, sheetOf } from "./SubscriptionParts.ts"

/** The page for an invalid link, in the visitor's language: its page is unknown. */
const invalid = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const language = preferredLanguage(headers["accept-language"])
  const words = subscriptionWords(language)
  return showSheet({ page: null, title: words.subscribe, status: 404, language, body: InvalidLink({ text: words.invalidLink }) })
})

/** The record that the link of a mail names, and the operations behind it. */
const linked = Effect.all({ id: param("id"), token: param("token"), subscription: ManageSubscription })

/** Shows a page of a subscription in the subscriber's language. */
const shown = Effect.fn("SubscriptionRoutes.shown")(function*(
  { page, subscriber: { language } }: { readonly page: SettledPage; readonly subscriber: { readonly language: Language } },
  make: (
    words: SubscriptionWords,
    url: string
  ) => { readonly title: string; readonly body: ComponentChildren; readonly status?: number }
) {
  const url = (yield* Links).page(page)
  return showSheet({ page: sheetOf(page, yield* Links), language, ...make(subscriptionWords(language), url) })
})

const note = (scene: Parameters<typeof shown>[0], text: (words: SubscriptionWords) => string, status = 200) =>
  shown(scene, (words, url) => ({ title: scene.page.name, status, body: SubscriptionNote({ text: text(words), url, words }) }))

const askToConfirm = Effect.gen(function*() {
  const { id, subscription, token } = yield* linked
  const scene = yield* subscription.sceneToConfirm(id, token)
  const { components, incident, kinds } = scene.subscriber
  const action = `/subscriptions/${id}/confirm/${token}`
  return yield* shown(scene, (words) => ({
    title: words.confirmTitle(isolated(scene.page.name)),
    body: AskPage({
      text: kinds.length + components.length > 0 || incident !== null ? words.confirmChosen : words.confirmText,
      button: words.confirm,
      action
    })
  }))
})

const confirm = Effect.gen(function*() {
  const { id, subscription, token } = yield* linked
  const refusal = yield* subscription.confirm(id, token).pipe(
    Effect.as(null),
    Effect.catchTag("plan_limit", (failure) => Effect.succeed(failure))
  )
  const scene = yield* subscription.sceneToConfirm(id, token)
  return yield* refusal === null
    ? note(scene, (words) => words.confirmed)
    : note(scene, (words) => words.notTaken, statusOf(refusal))
})

/** Asks whether to unsubscribe, unless that has happened. */
const unsubscribeQuestion = Effect.fnUntraced(function*(found: Parameters<typeof shown>[0] & { readonly isOver: boolean }) {
  if (found.isOver) return yield* note(found, (words) => words.unsubscribed)
  const action = `/subscriptions/${yield* param("id")}/${yield* param("token")}/unsubscribe`
  return yield* shown(found, (words) => ({
    title: words.unsubscribeFrom(isolated(found.page.name)),
    body: AskPage({ button: words.unsubscribe, action })
  }))
})

const managePage = Effect.gen(function*() {
  const { id, subscription, token } = yield* linked
  const found = yield* subscription.scene(id, token)
  const { components, groups, onlyAbout, subscriber } = found
  if (subscriber.status === "unsubscribed") return yield* unsubscribeQuestion(found)
  const saved = (yield* queryParam("saved")) !== null
  const action = `/subscriptions/${id}/${token}`
  return yield* shown(found, (words, url) => ({
    title: words.manage,
    body: ManagePage({ action, url, components, groups, onlyAbout, subscriber, saved, words })
  }))
})

/** All boxes checked, or none, means all components and kinds, including future ones. */
const manage = Effect.gen(function*() {
  const { id, subscription, token } = yield* linked
  const scene = yield* subscription.scene(id, token)
  const { components, subscriber } = scene
  const given = new URLSearchParams(yield* readText(yield* HttpServerRequest.HttpServerRequest))
  return yield* subscription.update(id, token, {
    components: componentsOf(given, components),
    kinds: kindsOf(given, subscriber.type)
  }).pipe(
    Effect.as(goTo(`/subscriptions/${id}/${token}?saved=1`)),
    // It ended meanwhile, or the page was closed.
    Effect.catchTag(
      "conflict",
      (failure) =>
        note(
          scene,
          ({ notTaken, unsubscribed }) => scene.isOver ? unsubscribed : notTaken,
          statusOf(failure)
        )
    )
  )
})

const askToUnsubscribe = Effect.gen(function*() {
  const { id, subscription, token } = yield* linked
  return yield* unsubscribeQuestion(yield* subscription.scene(id, token))
})

/** Also what mail programs post (RFC 8058), from another origin: the token alone entitles to it. */
const unsubscribe = Effect.gen(function*() {
  const { id, subscription, token } = yield* linked
  yield* subscription.leave(id, token)
  return yield* note(yield* subscription.scene(id, token), (words) => words.unsubscribed)
})

const askToLeave = Effect.gen(function*() {
  const { read } = yield* LeaveChannel
  const token = yield* param("token")
  const { email } = yield* read(token)
  const body = AskPage({
    text: `${email} then gets no more alerts of this channel. Its team can add the address again.`,
    button: "Stop alerts",
    action: `/alerts/leave/${token}`
  })
  return showSheet({ page: null, title: "Stop these alerts?", language: "en", body })
})

const leave = Effect.gen(function*() {
  const { leave } = yield* LeaveChannel
  const email = yield* leave(yield* param("token"))
  const words = subscriptionWords("en")
  const body = SubscriptionNote({ text: `${email} gets no more alerts of this channel.`, url: null, words })
  return showSheet({ page: null, title: "Alerts stopped", language: "en", body })
})

const orInvalid = <A, E, R>(page: Effect.Effect<A, E, R>) =>
  Effect.catchIf(page, (error) => error instanceof NotFound, () => invalid)

export const layer = pages((router) =>
  Effect.gen(function*() {
    yield* router.get("/subscriptions/:id/confirm/:token", orInvalid(askToConfirm))
    yield* router.post("/subscriptions/:id/confirm/:token", orInvalid(confirm))
    yield* router.get("/subscriptions/:id/:token", orInvalid(managePage))
    yield* router.post("/subscriptions/:id/:token", orInvalid(manage))
    yield* router.get("/subscriptions/:id/:token/unsubscribe", orInvalid(askToUnsubscribe))
    yield* router.post("/subscriptions/:id/:token/unsubscribe", orInvalid(unsubscribe))
    yield* router.get("/alerts/leave/:token", orInvalid(askToLeave))
    yield* router.post("/alerts/leave/:token", orInvalid(leave))
  })
)
