/** One attempt to reach one subscriber: opens its secrets, renders the message of its type, sends it and judges the answer. */
import { Cause, Data, DateTime, Effect, Either, FiberSet, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { EmailAddress } from "../../../schema/people/Person.ts"
import type { SubscriberType } from "../../../schema/subscriber/Subscriber.ts"
import type { AlertMessage } from "../../domain/alert/AlertMessage.ts"
import { Answer, type DeliveryVerdict, internalError, judge } from "../../domain/alert/DeliveryVerdict.ts"
import { discordMessage } from "../../domain/alert/DiscordMessage.ts"
import { signedHeaders } from "../../domain/alert/Signature.ts"
import { slackMessage } from "../../domain/alert/SlackMessage.ts"
import type { AddressPermits } from "../../domain/check/address/PermitsAt.ts"
import { namedIn, subscriptionWords } from "../../domain/page/Languages.ts"
import { type Content, contentIn } from "../../domain/subscriber/BroadcastContent.ts"
import { subscriberPayload } from "../../domain/subscriber/SubscriberPayload.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { EgressGuard, guardFor, type Reach } from "../../egress/EgressGuard.ts"
import { type LinkMaker, Links } from "../../links/Links.ts"
import { cellOf } from "../../store/SealedColumns.ts"
import type { HeldBroadcast } from "../../store/subscriber/BroadcastClaim.ts"
import { SubscriberSecrets } from "../../store/subscriber/SubscriberRows.ts"
import { Vault } from "../../store/Vault.ts"
import { discordRules } from "../alert/channels/discord.ts"
import { slackRules } from "../alert/channels/slack.ts"
import { deliveryHeaders, type Post, type ServiceRules, startPost } from "../alert/PostDelivery.ts"
import { DirectMail } from "../mail/DirectMail.ts"
import { countAttempt } from "../Metrics.ts"
import { newsMail } from "./SubscriberMail.ts"

interface Outgoing {
  readonly held: HeldBroadcast
  readonly content: Content
  readonly secrets: SubscriberSecrets
  readonly links: LinkMaker
  readonly now: DateTime.Utc
}

interface Rendered {
  readonly post: Omit<Post, "timeoutMs">
  readonly rules: ServiceRules
}

/** The next action: a request, a mail, or nothing because the answer is known. */
type Plan = Data.TaggedEnum<{
  Send: Rendered
  Mail: { readonly outgoing: Outgoing }
  Known: { readonly answer: Answer }
}>
const Plan = Data.taggedEnum<Plan>()

type Render = (outgoing: Outgoing) => Rendered | null

const isAddress = Schema.is(EmailAddress)
const noTarget = Answer.Impossible({ reason: "The subscription has no address" })

const webhook: Render = ({ content, held, links, now, secrets }) => {
  if (secrets.url === null || secrets.signing === null) return null
  const { contents, eventId, subscriber: { id } } = held
  const manage = links.subscription(id, secrets.manage)
  const body = subscriberPayload(contents, content, { id, components: held.componentIds, manage })
  const signed = signedHeaders([{ secret: secrets.signing, until: null }], { id: eventId, body }, DateTime.toEpochMillis(now))
  return { post: { url: new URL(secrets.url), headers: { ...deliveryHeaders, ...signed }, body }, rules: {} }
}

/** Stands in a message for the address at which its subscriber manages the subscription. */
const manageMark = `https://${randomUUID()}.invalid`

const chatMessage = ({ content: { page, told }, held }: Outgoing): AlertMessage => ({
  tone: held.contents.tone,
  title: namedIn(held.subscriber.language, isolated(page.name), told.title),
  text: told.text,
  isMarkdown: true,
  notes: told.notes ?? [],
  facts: told.facts,
  link: { label: subscriptionWords(held.subscriber.language).viewPage, url: told.link },
  manage: { label: subscriptionWords(held.subscriber.language).manage, url: manageMark },
  at: DateTime.unsafeMake(held.contents.timestamp),
  about: { key: `incident ${held.contents.news.incidentId ?? ""}`, step: "continues" }
})

const chat = (format: (message: AlertMessage) => unknown, rules: ServiceRules): Render => {
  // The same for all subscribers of a language, but for the address.
  const bodies = new WeakMap<Content, string>()
  const bodyOf = (outgoing: Outgoing): Buffer => {
    const { content, held, links, secrets } = outgoing
    const body = bodies.get(content) ?? JSON.stringify(format(chatMessage(outgoing)))
    bodies.set(content, body)
    return Buffer.from(body.replace(manageMark, () => links.manageSubscription(held.subscriber.id, secrets.manage)))
  }
  return (outgoing) => {
    const { url } = outgoing.secrets
    return url === null ? null : {
      post: { url: new URL(url), headers: deliveryHeaders, body: bodyOf(outgoing) },
      rules
    }
  }
}

const renderers: Record<Exclude<SubscriberType, "email">, Render> = {
  webhook,
  slack: chat(slackMessage, slackRules),
  discord: chat(discordMessage, discordRules)
}

const sendMail = Effect.fnUntraced(function*({ content, held, links, secrets }: Outgoing, timeoutMs: number) {
  const mail = yield* DirectMail
  const { subscriber: { email: to, id, language }, workspaceId } = held
  if (mail === null || to === null || !isAddress(to)) return noTarget
  const { subject, ...body } = newsMail({
    language,
    content,
    incidentId: held.contents.news.incidentId,
    look: held.contents.look,
    tone: held.contents.tone,
    manage: links.manageSubscription(id, secrets.manage),
    unsubscribe: links.unsubscribe(id, secrets.manage)
  })
  return yield* mail.attempt({
    id: `${held.eventId}.${id}`,
    workspaceId,
    to,
    subject,
    content: body,
    at: DateTime.unsafeMake(held.contents.timestamp),
    isBulk: true
  }, timeoutMs)
})

const decodeSecrets = Schema.decodeSync(SubscriberSecrets)

const planOf = (held: HeldBroadcast, opened: string, links: LinkMaker, now: DateTime.Utc): Plan => {
  const { language, type } = held.subscriber
  const content = contentIn(held.contents, language)
  if (content === undefined) return Plan.Known({ answer: Answer.Impossible({ reason: "The event has no text" }) })
  const outgoing = { held, content, secrets: decodeSecrets(opened), links, now }
  if (type === "email") return Plan.Mail({ outgoing })
  const rendered = renderers[type](outgoing)
  return rendered === null ? Plan.Known({ answer: noTarget }) : Plan.Send(rendered)
}

/** An internal error is logged, and counts as a failed attempt. */
const complain = ({ eventId, subscriber: { id } }: HeldBroadcast, error: unknown): Effect.Effect<Answer> =>
  Effect.as(
    Effect.logError(`Notifying subscriber ${id} of event ${eventId} failed with an internal error`, Cause.die(error)),
    internalError
  )

/** Visitors chose the target: it is in no range of the workspace alone. */
const reachOf = ({ subscriber: { reachesPrivate } }: HeldBroadcast): Reach => reachesPrivate ? "all" : "none"

const nothing = (): void => {}

/** Makes the function that starts attempts and calls back once; only mails need a fiber. `now` is read when the attempt has ended. */
export const makeSubscriberAttempts = Effect.fn("SubscriberAttempt.make")(
  function*(now: () => DateTime.Utc, timeoutMs: number) {
    const guard = yield* EgressGuard
    const vault = yield* Vault
    const links = yield* Links
    const clock = yield* Effect.clock
    const mail = yield* DirectMail
    const fork = yield* FiberSet.makeRuntime<never>()
    const ownNow = (): DateTime.Utc => DateTime.unsafeMake(clock.unsafeCurrentTimeMillis())
    const inFiber = (held: HeldBroadcast, answer: Effect.Effect<Answer>, done: (answer: Answer) => void): () => void => {
      fork(Effect.map(Effect.catchAllDefect(answer, (defect) => complain(held, defect)), done))
      return nothing
    }

    return (held: HeldBroadcast, done: (verdict: DeliveryVerdict) => void, permits: AddressPermits): () => void => {
      const begun = performance.now()
      const judged = (answer: Answer): void => {
        const verdict = judge(answer, held.attempts + 1, now())
        countAttempt(`subscriber_${held.subscriber.type}`, verdict, (performance.now() - begun) / 1000)
        done(verdict)
      }
      const plan = Either.flatMap(
        vault.unsealed(cellOf("subscribers.sealed", held.subscriber.id), held.subscriber.sealed),
        (opened) => Either.try(() => planOf(held, opened, links, ownNow()))
      )
      return Either.match(plan, {
        onLeft: (error) => inFiber(held, complain(held, error), judged),
        onRight: Plan.$match({
          Send: ({ post, rules }) =>
            startPost(
              guardFor(guard, { owner: held.workspaceId, permits, reach: reachOf(held) }),
              { ...post, timeoutMs },
              rules,
              ownNow,
              judged
            ),
          Mail: ({ outgoing }) => inFiber(held, Effect.provideService(sendMail(outgoing, timeoutMs), DirectMail, mail), judged),
          Known: ({ answer }) => {
            judged(answer)
            return nothing
          }
        })
      })
    }
  }
)
