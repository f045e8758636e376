/** Subscribes to a status page: by mail with a confirmation, by webhook with a handshake, or in a chat. */
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { subscriptions } from "../../../schema/api/parts/AddressLimit.ts"
import { Forbidden, type ValidationFailed } from "../../../schema/Errors.ts"
import { IncidentId, SubscriberId } from "../../../schema/Ids.ts"
import type { Language } from "../../../schema/page/Page.ts"
import type { Subscribed, SubscribeInput, SubscriberType } from "../../../schema/subscriber/Subscriber.ts"
import { widestNetwork } from "../../domain/access/NetworkShares.ts"
import { type Applicant, mayNamePrivate } from "../../domain/access/Registration.ts"
import { makeSecret } from "../../domain/alert/Signature.ts"
import { mailLook } from "../../domain/page/MailLook.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { asksForPassword } from "../../domain/page/PagePassword.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { confirmWithin, nextStep } from "../../domain/subscriber/SubscriberLife.ts"
import { EgressGuard, guardFor } from "../../egress/EgressGuard.ts"
import { Links } from "../../links/Links.ts"
import { blockedProblems } from "../../notify/alert/PostDelivery.ts"
import { handshake } from "../../notify/subscriber/Handshake.ts"
import { confirmationMail } from "../../notify/subscriber/SubscriberMail.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { Alarms } from "../../store/Alarms.ts"
import { PageIncidents } from "../../store/incident/PageIncidents.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { mint, randomToken } from "../../store/Mint.ts"
import { Pages } from "../../store/page/Pages.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { type SubscriberDraft, Subscribers } from "../../store/subscriber/Subscribers.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { makeTries, type TryLimit } from "../access/Tries.ts"
import { foundOr } from "../NoSuch.ts"
import { noPublicPage } from "../page/PublicPages.ts"
import { RegistrationSettings } from "../workspace/AdmitRegistration.ts"
import { requireClaimed } from "../workspace/RequireClaimed.ts"
import { makePlaces } from "./Places.ts"
import { makeRequireComponents } from "./RequireComponents.ts"

/**
 * Strangers can have mails sent to any address, so each address and each page has limits of its own. Who uses them up leaves a little
 * to every other network, so that the owner of the address, and those who wait for news of the page, still subscribe.
 */
const mailsToAddress: TryLimit = {
  name: "subscribe-email",
  each: { limit: 5, window: Duration.hours(24) },
  all: { limit: 5, window: Duration.hours(24), few: 1 },
  message: "At most 5 confirmations a day for one address"
}
const mailsOfPage: TryLimit = {
  name: "subscribe-page",
  each: { limit: 500, window: Duration.hours(1) },
  all: { limit: 500, window: Duration.hours(1), few: 5 },
  message: "Too many people subscribe to this page right now"
}

const tokenLength = 40

/** The page's setting that allows each type; Discord goes with Slack, because pages have no setting for it. */
const settingOf = { email: "email", webhook: "webhook", slack: "slack", discord: "slack" } as const satisfies Record<
  SubscriberType,
  string
>

/** Whether the visitor may see a private page. Programs may not: they call without a session. */
type MayRead<R> = (page: SettledPage) => Effect.Effect<boolean, never, R>

const nobody: MayRead<never> = () => Effect.succeed(false)

const membersOnly = new Forbidden({
  message: "Only members can subscribe to a private page, by email and with the address of their account",
  hint: "Teams get alerts by alert channels"
})

const closed = (type: SubscriberType) =>
  new Forbidden({ message: `This page takes no ${type} subscriptions`, hint: "Use another type, or poll the public status" })

/** The language of the page, or English if it follows its visitors. */
const languageOf = ({ settings }: SettledPage, asked: Language | undefined): Language =>
  asked ?? (settings.language === "auto" ? "en" : settings.language)

const targetRefusal = ({ email, type, url }: SubscribeInput): ValidationFailed | null => {
  const [needed, foreign] = type === "email"
    ? [["email", email], ["url", url]] as const
    : [["url", url], ["email", email]] as const
  if (needed[1] === undefined) {
    return validationFailure([{ path: needed[0], message: `${needed[0]} is required for ${type} subscriptions` }])
  }
  return foreign[1] === undefined
    ? null
    : validationFailure([{ path: foreign[0], message: `${foreign[0]} is not a field of ${type} subscriptions` }])
}

/** Rejects what must not be called, and webhooks that do not want the subscription. */
const makeVetTarget = Effect.gen(function*() {
  const links = yield* Links
  const guard = yield* EgressGuard

  return Effect.fn("Subscribe.vetTarget")(function*(page: SettledPage, { type, url }: SubscribeInput, reachesPrivate: boolean) {
    if (url === undefined) return
    const target = new URL(url)
    if (target.username !== "" || target.password !== "") {
      return yield* validationFailure([{ path: "url", message: "The URL must not contain a user name or password" }])
    }
    const own = guardFor(guard, { owner: page.workspaceId, reach: reachesPrivate ? "all" : "none" })
    const problems = yield* Effect.provideService(blockedProblems(target), EgressGuard, own)
    if (problems.length > 0) return yield* validationFailure(problems)
    if (type !== "webhook") return
    const challenge = yield* randomToken(tokenLength)
    const refused = yield* handshake(target, { id: page.id, name: page.name, url: links.page(page) }, challenge).pipe(
      Effect.provideService(EgressGuard, own)
    )
    if (refused !== null) {
      return yield* validationFailure([{
        path: "url",
        message: refused,
        hint: "Answer the POST with type subscription.verify with a 2xx status and its challenge"
      }])
    }
  })
})

const isIncidentId = Schema.is(IncidentId)

/** The incident that the subscription is about, which must be public and open. */
const makeRequireIncident = Effect.gen(function*() {
  const incidents = yield* PageIncidents
  return Effect.fn("Subscribe.requireIncident")(function*(page: SettledPage, id: string | undefined) {
    if (id === undefined) return null
    const found = isIncidentId(id)
      ? yield* Effect.orDie(incidents.one({ workspaceId: page.workspaceId, pageId: page.id, id }))
      : Option.none()
    return Option.isNone(found) || found.value.resolvedAt !== null
      ? yield* validationFailure([{ path: "incident", message: "No open incident with this id on the page" }])
      : found.value.id
  })
})

export class Subscribe extends Effect.Service<Subscribe>()("belltower/Subscribe", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const limits = yield* RateLimits
    const tries = yield* makeTries
    const { admission } = yield* RegistrationSettings
    const pages = yield* Pages
    const subscribers = yield* Subscribers
    const quotas = yield* Quotas
    const places = yield* makePlaces
    const alarms = yield* Alarms
    const mails = yield* Mails
    const mode = yield* MailMode
    const links = yield* Links
    const clock = yield* DatabaseClock
    const claimed = requireClaimed(yield* Workspaces)
    const vetTarget = yield* makeVetTarget
    const requireIncident = yield* makeRequireIncident
    const requireComponents = yield* makeRequireComponents

    /** Asks the address for a confirmation. Only the mail shows whether the address is subscribed already. */
    const ask = Effect.fn("Subscribe.ask")(function*(page: SettledPage, draft: SubscriberDraft, token: string) {
      const { email, id, language, workspaceId } = draft
      if (email === null) return
      const expiresAt = DateTime.addDuration(yield* clock.now, confirmWithin)
      const mail = confirmationMail({
        language,
        link: links.confirmSubscription(id, token),
        pageName: page.name,
        choosesNews: draft.kinds.length + draft.componentIds.length > 0 || draft.incidentId !== null,
        look: mailLook(page)
      })
      yield* mails.send({ workspaceId, priority: "standard", to: email, ...mail, expiresAt })
      yield* alarms.arm("subscriber", workspaceId, id, expiresAt)
    })

    const admitMail = Effect.fn("Subscribe.admitMail")(function*(page: SettledPage, email: string | undefined, address: string) {
      if (email === undefined) return
      yield* claimed(page.workspaceId, "Email subscriptions")
      const sender = widestNetwork(address)
      yield* tries(mailsToAddress, { target: email, sender })
      yield* tries(mailsOfPage, { target: page.id, sender })
    })

    const draftOf = Effect.fn("Subscribe.draft")(function*(page: SettledPage, input: SubscribeInput, reachesPrivate: boolean) {
      const componentIds = yield* requireComponents(page, input.components ?? [])
      const incidentId = yield* requireIncident(page, input.incident)
      const isMail = input.type === "email"
      return {
        id: yield* mint("sub", SubscriberId),
        workspaceId: page.workspaceId,
        pageId: page.id,
        type: input.type,
        status: isMail ? "pending" : "active",
        language: languageOf(page, input.language),
        email: input.email ?? null,
        secrets: {
          url: input.url ?? null,
          signing: input.type === "webhook" ? makeSecret(randomBytes(32)) : null,
          manage: yield* randomToken(tokenLength)
        },
        confirmToken: isMail ? yield* randomToken(tokenLength) : null,
        componentIds,
        kinds: input.kinds ?? [],
        incidentId,
        agent: input.agent ?? null,
        knewPassword: asksForPassword(page),
        reachesPrivate,
        at: yield* clock.now
      } satisfies SubscriberDraft
    })

    /** Stores the subscription, which is active immediately unless a mail has to be confirmed. */
    const store = Effect.fn("Subscribe.store")(function*(page: SettledPage, draft: SubscriberDraft) {
      yield* quotas.hold(draft.workspaceId)
      if (draft.confirmToken !== null) yield* places.requirePlace(draft)
      yield* subscribers.insert(draft)
      if (draft.confirmToken !== null) return yield* ask(page, draft, draft.confirmToken)
      yield* places.takePlace(draft, draft.at)
      if (draft.incidentId === null) return
      const state = { ...draft, createdAt: draft.at, deadDeliveries: 0, isGone: false, incidentEndedAt: null }
      yield* alarms.arm("subscriber", draft.workspaceId, draft.id, nextStep(state, draft.at).alarm)
    }, transaction)

    const readable = Effect.fn("Subscribe.readable")(function*<R>(slug: string, mayRead: MayRead<R>) {
      const page = yield* foundOr(Effect.orDie(pages.findAt(slug)), () => noPublicPage)
      if (page.visibility === "private" && !(yield* mayRead(page))) return yield* noPublicPage
      return page
    })

    const admitMember = Effect.fn("Subscribe.admitMember")(function*(page: SettledPage, { email }: SubscribeInput) {
      if (page.visibility === "public" || asksForPassword(page)) return
      if (email === undefined || !(yield* subscribers.isMember(page.workspaceId, email))) return yield* membersOnly
    })

    /** Fails with `rate_limited` above 20 calls an hour, `forbidden`, and `validation_failed`; nothing is stored then. */
    const createFor = Effect.fn("Subscribe.create")(function*<R>(
      slug: string,
      input: SubscribeInput,
      visitor: Applicant,
      mayRead: MayRead<R>
    ) {
      const { address } = visitor
      yield* limits.take(subscriptions, address)
      const page = yield* readable(slug, mayRead)
      if (!page.settings.subscriptions[settingOf[input.type]]) return yield* closed(input.type)
      const refusal = targetRefusal(input)
      if (refusal !== null) return yield* refusal
      yield* admitMember(page, input)
      const draft = yield* draftOf(page, input, mayNamePrivate(admission, visitor))
      yield* admitMail(page, input.email, address)
      yield* vetTarget(page, input, draft.reachesPrivate)
      yield* store(page, draft)
      const { agent, componentIds, email, id, incidentId, kinds, language, pageId, secrets, status, type } = draft
      return {
        id,
        type,
        status,
        pageId,
        email,
        url: input.url ?? null,
        components: componentIds,
        kinds,
        incident: incidentId,
        language,
        agent,
        createdAt: draft.at,
        updatedAt: draft.at,
        mail: type === "email" ? yield* mode : null,
        manageToken: secrets.manage,
        ...(secrets.signing === null ? {} : { signingSecret: secrets.signing })
      } satisfies Subscribed
    })

    return {
      createFor,
      /** As a program calls it, for which private pages do not exist. */
      create: (slug: string, input: SubscribeInput, visitor: Applicant) => createFor(slug, input, visitor, nobody),
      /** The page at a slug that the visitor may see, for the form; fails with `not_found`. */
      page: readable
    }
  })
}) {}
