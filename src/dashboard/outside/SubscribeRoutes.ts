/** The page on which a visitor of a status page subscribes to it. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { type Failure, NotFound } from "../../../schema/Errors.ts"
import type { Language } from "../../../schema/page/Page.ts"
import { SubscribeInput } from "../../../schema/subscriber/Subscriber.ts"
import { fieldIssues, validationFailed } from "../../domain/input/FieldIssues.ts"
import { languageOf, subscriptionWords, wordsIn } from "../../domain/page/Languages.ts"
import { asksForPassword } from "../../domain/page/PagePassword.ts"
import type { Snapshot } from "../../domain/page/snapshot/Snapshot.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { completedUrl } from "../../domain/tools/text/TypedAddress.ts"
import { makeApplicantOf } from "../../http/request/Applicant.ts"
import { readText } from "../../http/request/RequestBody.ts"
import { Links } from "../../links/Links.ts"
import { OpenPage } from "../../operations/page/OpenPage.ts"
import { PublicPages } from "../../operations/page/PublicPages.ts"
import { Subscribe } from "../../operations/subscriber/Subscribe.ts"
import { showSheet } from "../../pages/html/Sheet.tsx"
import { SubscribedNote, SubscribePage, SubscriptionNote } from "../../pages/html/SubscriptionPages.tsx"
import { PageReader } from "../../pages/PageReader.ts"
import { goTo, requireSameOrigin } from "../Forms.ts"
import { openOrGone } from "./OpenOrGone.ts"
import { pages, param } from "./PageRouter.ts"
import { shownFailure } from "./Reply.ts"
import { componentsOf, kindsOf, sheetOf } from "./SubscriptionParts.ts"

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

/** False if what was chosen is refused, such as components that the page no longer has. */
const isAboutAddress = (failure: FormFailure): boolean =>
  failure._tag === "validation_failed" && failure.details?.some(({ path }) => path.startsWith("components")) !== true

/** The failure in words for visitors: with details if they subscribe by URL, without those for the page's owner. */
const wrongFor = ({ failure, given }: Refused, language: Language): string => {
  const words = subscriptionWords(language)
  const type = given.get("type")
  switch (failure._tag) {
    case "validation_failed":
      if (!isAboutAddress(failure)) return words.notTaken
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
    isWrong: refused !== null && isAboutAddress(refused.failure)
  })
  return showSheet({ page: sheetOf(page, yield* Links), title: words.subscribeTo(isolated(page.name)), status, language, body })
})

const Fields = Schema.Struct({
  type: SubscribeInput.fields.type,
  email: SubscribeInput.fields.email,
  url: SubscribeInput.fields.url
})

/**
 * The subscription in a form. If both targets are filled in, the chosen type decides. Components that were deleted while the form was
 * open are left out; a form that chose no others is refused, because it would subscribe to all.
 */
const subscriptionOf = Effect.fnUntraced(function*(given: URLSearchParams, offered: Snapshot["components"]) {
  const type = given.get("type") ?? "email"
  const target = type === "email" ? "email" : "url"
  const typed = given.get(target)?.trim() ?? ""
  const value = target === "url" ? completedUrl(typed) : typed
  const fields = yield* Effect.mapError(
    Schema.decodeUnknown(Fields, { errors: "all" })({ type, ...(value === "" ? {} : { [target]: value }) }),
    (error) => validationFailed(fieldIssues(error, "texts"))
  )
  const asked = given.getAll("component")
  const isAnyLeft = offered.some(({ id, key }) => asked.includes(id) || asked.includes(key))
  return {
    ...fields,
    kinds: kindsOf(given, fields.type),
    components: isAnyLeft ? componentsOf(given, offered) : asked.slice(0, 1)
  }
})

const subscribeWith = Effect.fn("SubscriptionRoutes.subscribeWith")(function*(given: URLSearchParams) {
  const { language, page, snapshot, url, words } = yield* visited
  yield* requireSameOrigin
  const { createFor } = yield* Subscribe
  const applicantOf = yield* makeApplicantOf
  const visitor = applicantOf(yield* HttpServerRequest.HttpServerRequest)
  const reader = yield* PageReader
  const subscribed = yield* createFor(
    page.slug,
    { ...(yield* subscriptionOf(given, snapshot.components)), language },
    visitor,
    reader
  )
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

/** Leads to the page, which asks for its password, if that is what the visitor lacks. */
const orPassword = <A, E, R>(shown: Effect.Effect<A, E, R>) =>
  Effect.catchIf(shown, (error) => error instanceof NotFound, () =>
    Effect.gen(function*() {
      const { closed } = yield* OpenPage
      const links = yield* Links
      return yield* closed(yield* param("slug")).pipe(
        Effect.map((page) => goTo(links.page(page))),
        Effect.catchTag("not_found", () => openOrGone)
      )
    }))

export const layer = pages((router) =>
  Effect.gen(function*() {
    yield* router.get("/s/:slug/subscribe", orPassword(subscribePage(null, 200)))
    yield* router.post("/s/:slug/subscribe", orPassword(subscribe))
    // The dialog of the page itself.
    yield* router.post("/s/:slug", orPassword(subscribe))
  })
)
