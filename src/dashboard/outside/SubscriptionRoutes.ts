/** The pages of subscriptions: subscribing by mail, confirming, managing and unsubscribing, and leaving an email channel. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import type { ComponentChildren } from "preact"
import { type Failure, NotFound, statusOf } from "../../../schema/Errors.ts"
import type { Language } from "../../../schema/page/Page.ts"
import { SubscribeInput, type SubscriberType, type SubscriptionKind } from "../../../schema/subscriber/Subscriber.ts"
import { languageOf, preferredLanguage, subscriptionWords, wordsIn } from "../../domain/page/Languages.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { shownBranding } from "../../domain/page/PageImages.ts"
import { asksForPassword } from "../../domain/page/PagePassword.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { completedUrl } from "../../domain/tools/text/TypedAddress.ts"
import type { SubscriptionWords } from "../../domain/words/en.ts"
import { makeApplicantOf } from "../../http/request/Applicant.ts"
import { fieldIssues, validationFailed } from "../../http/request/FieldIssues.ts"
import { readText } from "../../http/request/RequestBody.ts"
import { type LinkMaker, Links } from "../../links/Links.ts"
import { LeaveChannel } from "../../operations/alert/LeaveChannel.ts"
import { OpenPage } from "../../operations/page/OpenPage.ts"
import { PublicPages } from "../../operations/page/PublicPages.ts"
import { ManageSubscription } from "../../operations/subscriber/ManageSubscription.ts"
import { Subscribe } from "../../operations/subscriber/Subscribe.ts"
import { type SheetPage, showSheet } from "../../pages/html/Sheet.tsx"
import { kindsFor } from "../../pages/html/Subscribe.tsx"
import {
  AskPage,
  InvalidLink,
  ManagePage,
  SubscribedNote,
  SubscribePage,
  SubscriptionNote
} from "../../pages/html/SubscriptionPages.tsx"
import { PageReader } from "../../pages/PageReader.ts"
import { goTo, requireSameOrigin } from "../Forms.ts"
import { pages, param, queryParam } from "./PageRouter.ts"
import { shownFailure } from "./Reply.ts"

/** The failure's message and hint in one English text. */
const textOf = (failure: Failure): string => {
  const { hint, message } = shownFailure(failure)
  return [message, ...(hint === undefined ? [] : [hint])].join(" ")
}

type FormFailure = Extract<Failure, { readonly _tag: "validation_failed" | "rate_limited" | "plan_limit" | "forbidden" }>

interface Refused {
  readonly failure: FormFailure
  /** The fields of the form. */
  readonly given: URLSearchParams
}

/** The failure in words for visitors: with details if they subscribe by URL, without those for the page's owner. */
const wrongFor = ({ failure, given }: Refused, language: Language): string => {
  const words = subscriptionWords(language)
  const type = given.get("type")
  switch (failure._tag) {
    case "validation_failed":
      return type === null || type === "email" ? words.checkAddress : `${words.checkAddress} ${textOf(failure)}`
    case "rate_limited":
      return wordsIn(language).tooManyAttempts
    case "plan_limit":
    case "forbidden":
      return words.notTaken
  }
}

/** The page, if this visitor may see it, and the language to show it in. */
const visited = Effect.gen(function*() {
  const { getFor } = yield* PublicPages
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const { snapshot } = yield* getFor(yield* param("slug"), yield* PageReader)
  const { page } = snapshot
  const language = languageOf(page.settings.language, headers["accept-language"])
  return { snapshot, page, language, words: subscriptionWords(language), url: (yield* Links).page(page) }
})

const sheetOf = (page: SettledPage, links: LinkMaker): SheetPage => ({
  name: page.name,
  theme: page.theme,
  branding: shownBranding(page.branding, links.service),
  url: links.page(page),
  service: links.service
})

const subscribePage = Effect.fn("SubscriptionRoutes.subscribe")(function*(refused: Refused | null, status: number) {
  const { language, page, snapshot, url, words } = yield* visited
  const asked = (yield* HttpServerRequest.ParsedSearchParams)["component"] ?? []
  const isMembersOnly = page.visibility === "private" && !asksForPassword(page)
  const body = SubscribePage({
    url,
    words,
    wrong: refused === null ? undefined : isMembersOnly ? textOf(refused.failure) : wrongFor(refused, language),
    // Members subscribe to a private page by email only.
    subscriptions: isMembersOnly
      ? { email: page.settings.subscriptions.email, webhook: false, slack: false, rss: false }
      : page.settings.subscriptions,
    components: snapshot.components,
    groups: snapshot.groups,
    chosen: new Set(refused?.given.getAll("component") ?? (typeof asked === "string" ? [asked] : asked)),
    typed: refused?.given,
    isWrong: refused?.failure._tag === "validation_failed"
  })
  return showSheet({ page: sheetOf(page, yield* Links), title: words.subscribeTo(isolated(page.name)), status, language, body })
})

const Fields = Schema.Struct({
  type: SubscribeInput.fields.type,
  email: SubscribeInput.fields.email,
  url: SubscribeInput.fields.url
})

/** The kinds that a form chose; empty for all, which all boxes and none mean. */
const kindsOf = (given: URLSearchParams, type: SubscriberType): ReadonlyArray<SubscriptionKind> => {
  const offered = kindsFor(type)
  const chosen = offered.filter((kind) => given.getAll("kind").includes(kind))
  return chosen.length === offered.length ? [] : chosen
}

/** The subscription in a form. If both targets are filled in, the chosen type decides. */
const subscriptionOf = Effect.fnUntraced(function*(given: URLSearchParams) {
  const type = given.get("type") ?? "email"
  const target = type === "email" ? "email" : "url"
  const typed = given.get(target)?.trim() ?? ""
  const value = target === "url" ? completedUrl(typed) : typed
  const fields = yield* Effect.mapError(
    Schema.decodeUnknown(Fields, { errors: "all" })({ type, ...(value === "" ? {} : { [target]: value }) }),
    (error) => validationFailed(fieldIssues(error, "texts"))
  )
  return { ...fields, kinds: kindsOf(given, fields.type), components: given.getAll("component").slice(0, 200) }
})

const subscribeWith = Effect.fn("SubscriptionRoutes.subscribeWith")(function*(given: URLSearchParams) {
  const { language, page, url, words } = yield* visited
  yield* requireSameOrigin
  const { createFor } = yield* Subscribe
  const applicantOf = yield* makeApplicantOf
  const visitor = applicantOf(yield* HttpServerRequest.HttpServerRequest)
  const reader = yield* PageReader
  const subscribed = yield* createFor(page.slug, { ...(yield* subscriptionOf(given)), language }, visitor, reader)
  const manage = (yield* Links).manageSubscription(subscribed.id, subscribed.manageToken)
  const body = subscribed.status === "pending"
    ? SubscriptionNote({ text: subscribed.mail === "captured" ? words.mailCaptured : words.checkMail, url, words })
    : SubscribedNote({ subscribed, manage, url, words })
  return showSheet({ page: sheetOf(page, yield* Links), title: words.subscribe, language, body })
})

const subscribe = Effect.gen(function*() {
  const given = new URLSearchParams(yield* readText(yield* HttpServerRequest.HttpServerRequest))
  const refused = (status: number) => (failure: FormFailure) => subscribePage({ failure, given }, status)
  return yield* subscribeWith(given).pipe(
    Effect.catchTags({
      validation_failed: refused(422),
      rate_limited: refused(429),
      plan_limit: refused(402),
      forbidden: refused(403)
    })
  )
})

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

const managePage = Effect.gen(function*() {
  const { id, subscription, token } = yield* linked
  const found = yield* subscription.scene(id, token)
  const { components, groups, subscriber } = found
  if (subscriber.status === "unsubscribed") return yield* note(found, (words) => words.unsubscribed)
  const saved = (yield* queryParam("saved")) !== null
  const action = `/subscriptions/${id}/${token}`
  return yield* shown(found, (words, url) => ({
    title: words.manage,
    body: ManagePage({ action, url, components, groups, subscriber, saved, words })
  }))
})

/** All boxes checked, or none, means all components and kinds, including future ones. */
const manage = Effect.gen(function*() {
  const { id, subscription, token } = yield* linked
  const scene = yield* subscription.scene(id, token)
  const { components, subscriber } = scene
  const given = new URLSearchParams(yield* readText(yield* HttpServerRequest.HttpServerRequest))
  const chosen = given.getAll("component").filter((one) => components.some((known) => known.id === one))
  return yield* subscription.update(id, token, {
    components: chosen.length === components.length ? [] : chosen,
    kinds: kindsOf(given, subscriber.type)
  }).pipe(
    Effect.as(goTo(`/subscriptions/${id}/${token}?saved=1`)),
    // It ended meanwhile, or the page was closed.
    Effect.catchTag(
      "conflict",
      (failure) =>
        note(
          scene,
          ({ notTaken, unsubscribed }) => subscriber.status === "unsubscribed" ? unsubscribed : notTaken,
          statusOf(failure)
        )
    )
  )
})

const askToUnsubscribe = Effect.gen(function*() {
  const { id, subscription, token } = yield* linked
  const found = yield* subscription.scene(id, token)
  const action = `/subscriptions/${id}/${token}/unsubscribe`
  return yield* shown(found, (words) => ({
    title: words.unsubscribeFrom(isolated(found.page.name)),
    body: AskPage({ button: words.unsubscribe, action })
  }))
})

/** Also what mail programs post (RFC 8058), from another origin: the token alone entitles to it. */
const unsubscribe = Effect.gen(function*() {
  const { id, subscription, token } = yield* linked
  yield* subscription.unsubscribe(id, token)
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

/** Leads to the page, which asks for its password, if that is what the visitor lacks. */
const orPassword = <A, E, R>(shown: Effect.Effect<A, E, R>) =>
  Effect.catchIf(shown, (error) => error instanceof NotFound, () =>
    Effect.gen(function*() {
      const { closed } = yield* OpenPage
      return goTo((yield* Links).page(yield* closed(yield* param("slug"))))
    }))

export const layer = pages((router) =>
  Effect.gen(function*() {
    yield* router.get("/s/:slug/subscribe", orPassword(subscribePage(null, 200)))
    yield* router.post("/s/:slug/subscribe", orPassword(subscribe))
    // The dialog of the page itself.
    yield* router.post("/s/:slug", orPassword(subscribe))
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
