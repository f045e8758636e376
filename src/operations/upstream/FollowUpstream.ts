/** Mails about a third party's component: asking for them, confirming and ending. No account is needed. */
import { DateTime, Duration, Effect, Option } from "effect"
import { subscriptions } from "../../../schema/api/parts/AddressLimit.ts"
import { NotFound } from "../../../schema/Errors.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import { widestNetwork } from "../../domain/access/NetworkShares.ts"
import { componentsOf } from "../../domain/upstream/Catalogue.ts"
import { newsOf } from "../../domain/upstream/JudgeUpstream.ts"
import { UpstreamSettings } from "../../external/upstream/UpstreamSettings.ts"
import { Links } from "../../links/Links.ts"
import { upstreamConfirmationMail } from "../../notify/mail/UpstreamMail.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { confirmWithin, UpstreamAlerts } from "../../store/upstream/UpstreamAlerts.ts"
import { makeTries, type TryLimit } from "../access/Tries.ts"
import { foundOr } from "../NoSuch.ts"
import { ReadUpstream } from "./ReadUpstream.ts"

/** Strangers can have mails sent to any address. One from another network is left for its owner. */
const mailsToAddress: TryLimit = {
  name: "upstream-email",
  each: { limit: 5, window: Duration.hours(24) },
  all: { limit: 5, window: Duration.hours(24), few: 1 },
  message: "At most 5 confirmations a day for one address"
}

const notFound = new NotFound({ message: "This link is invalid or has been used", hint: "Ask for the mails again" })

export class FollowUpstream extends Effect.Service<FollowUpstream>()("belltower/FollowUpstream", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const limits = yield* RateLimits
    const tries = yield* makeTries
    const alerts = yield* UpstreamAlerts
    const mails = yield* Mails
    const mode = yield* MailMode
    const links = yield* Links
    const clock = yield* DatabaseClock
    const reading = yield* ReadUpstream
    const { catalogue } = yield* UpstreamSettings

    const topicOf = ({ component, service }: { readonly service: string; readonly component: string }) =>
      Option.gen(function*() {
        const entry = yield* Option.fromNullable(catalogue.get(service))
        const found = yield* Option.fromNullable(componentsOf(entry).find(({ slug }) => slug === component))
        return { entry, component: found }
      })

    const found = (
      row: Effect.Effect<Option.Option<{ readonly id: string; readonly service: string; readonly component: string }>>
    ) =>
      Effect.gen(function*() {
        const alert = yield* foundOr(row, () => notFound)
        const topic = yield* Effect.mapError(topicOf(alert), () => notFound)
        return { ...topic, id: alert.id, service: alert.service }
      })

    const queue = Effect.fnUntraced(
      function*(service: string, component: string, email: EmailAddress) {
        const topic = yield* topicOf({ service, component })
        const now = yield* clock.now
        const asked = yield* alerts.ask({ service, component }, email, now)
        // A subscribed address gets no second mail, and the visitor learns nothing of that.
        if (Option.isNone(asked)) return
        const { confirmToken, id } = asked.value
        const mail = upstreamConfirmationMail({ ...topic, link: links.confirmUpstream(id, confirmToken) })
        yield* mails.send({
          workspaceId: null,
          priority: "standard",
          to: email,
          ...mail,
          expiresAt: DateTime.addDuration(now, confirmWithin)
        })
      },
      transaction,
      Effect.catchTag("NoSuchElementException", Effect.die)
    )

    return {
      /**
       * Asks an address to confirm; returns whether mail is sent now, not captured. Fails with `not_found`, and with
       * `rate_limited` for too many mails.
       */
      ask: Effect.fn("FollowUpstream.ask")(
        function*(service: string, component: string, email: EmailAddress, address: string) {
          yield* limits.take(subscriptions, address)
          yield* reading.status(service, component)
          yield* tries(mailsToAddress, { target: email, sender: widestNetwork(address) })
          yield* queue(service, component, email)
          return (yield* mode) === "sent"
        }
      ),
      /** The subject of a confirmation link; fails with `not_found`. */
      toConfirm: (id: string, token: string) => found(alerts.toConfirm(id, token)),
      confirm: Effect.fn("FollowUpstream.confirm")(function*(id: string, token: string) {
        const topic = yield* found(alerts.toConfirm(id, token))
        const { status: condition, verdict } = yield* reading.status(topic.service, topic.component.slug)
        yield* alerts.confirm(topic.id, newsOf({ condition, verdict }), yield* clock.now)
        return topic
      }),
      toLeave: (id: string, token: string) => found(alerts.managed(id, token)),
      leave: Effect.fn("FollowUpstream.leave")(function*(id: string, token: string) {
        const topic = yield* found(alerts.managed(id, token))
        yield* alerts.remove(topic.id)
        return topic
      })
    }
  })
}) {}
