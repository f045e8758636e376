/** Reads, confirms, changes and ends a subscription for the holder of its token. */
import { Effect, Option } from "effect"
import { Conflict, NotFound } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { SubscriptionUpdate } from "../../../schema/subscriber/Subscriber.ts"
import { publicIncident } from "../../domain/page/PublicIncidentView.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { Alarms } from "../../store/Alarms.ts"
import { Components } from "../../store/component/Components.ts"
import { PageIncidents } from "../../store/incident/PageIncidents.ts"
import { Pages } from "../../store/page/Pages.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { subscriberOf, type SubscriberRow } from "../../store/subscriber/SubscriberRows.ts"
import { Subscribers } from "../../store/subscriber/Subscribers.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { foundOr } from "../NoSuch.ts"
import { makePlaces } from "./Places.ts"
import { makeRequireComponents } from "./RequireComponents.ts"

/** The same for a wrong token, so that nobody learns which subscriptions exist. */
const notFound = new NotFound({
  message: "No subscription with this id and token",
  hint: "Send the manageToken that subscribing returned, or follow the link in an email"
})

const orNotFound = <A, E, R>(found: Effect.Effect<Option.Option<A>, E, R>) => foundOr(found, () => notFound)

const over = ({ status }: SubscriberRow) => new Conflict({ message: `The subscription is ${status}`, hint: "Subscribe again" })

/** A link in an old mail shows nothing of a page that its reader may see no more. */
const closedPage = new Conflict({
  message: "This status page is private now",
  hint: "Ask its team for the password, then subscribe again; unsubscribing still works"
})

type Wish = Omit<SubscriptionUpdate, "token">

const nothingWished = validationFailure([{
  path: "components",
  message: "components is required; an empty list means all of them",
  hint: "Or change the kinds of news with kinds"
}])

export class ManageSubscription extends Effect.Service<ManageSubscription>()("belltower/ManageSubscription", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const subscribers = yield* Subscribers
    const alarms = yield* Alarms
    const pages = yield* Pages
    const components = yield* Components
    const incidents = yield* PageIncidents
    const quotas = yield* Quotas
    const places = yield* makePlaces
    const clock = yield* DatabaseClock
    const requireComponents = yield* makeRequireComponents

    const activate = Effect.fnUntraced(function*(workspaceId: WorkspaceId, id: string, token: string) {
      // Of two at the same time, one takes the last place of a page.
      yield* quotas.hold(workspaceId)
      const row = yield* orNotFound(subscribers.toConfirm(id, token))
      if (row.status === "active") return
      const now = yield* clock.now
      yield* subscribers.setStatus(row, "active", now)
      yield* places.takePlace(row, now)
      // Its incident may have ended meanwhile: its actor looks.
      yield* alarms.arm("subscriber", row.workspaceId, row.id, row.incidentId === null ? null : now)
    }, transaction)

    /** Activates a subscription that a mail asked about; a second time it changes nothing. Fails with `plan_limit` on a full page. */
    const confirm = Effect.fn("ManageSubscription.confirm")(function*(id: string, token: string) {
      const { workspaceId } = yield* orNotFound(subscribers.toConfirm(id, token))
      yield* activate(workspaceId, id, token)
    })

    /** Keeps what the wish does not mention. */
    const update = Effect.fn("ManageSubscription.update")(function*(id: string, token: string, wish: Wish) {
      const row = yield* orNotFound(subscribers.managed(id, token))
      if (row.status !== "active" && row.status !== "pending") return yield* over(row)
      if (!(yield* subscribers.mayHear(row))) return yield* closedPage
      if (wish.components === undefined && wish.kinds === undefined) return yield* nothingWished
      const changed = {
        ...row,
        componentIds: wish.components === undefined
          ? row.componentIds
          : yield* requireComponents({ workspaceId: row.workspaceId, id: row.pageId }, wish.components, row.componentIds),
        kinds: wish.kinds ?? row.kinds,
        updatedAt: yield* clock.now
      }
      yield* subscribers.setInterest(changed)
      return subscriberOf(changed)
    }, transaction)

    const end = Effect.fnUntraced(function*(row: SubscriberRow) {
      if (row.status !== "unsubscribed") yield* subscribers.setStatus(row, "unsubscribed", yield* clock.now)
      yield* alarms.arm("subscriber", row.workspaceId, row.id, null)
    })

    /** Ends it, also if it has ended before. */
    const unsubscribe = Effect.fn("ManageSubscription.unsubscribe")(function*(id: string, token: string) {
      const row = yield* orNotFound(subscribers.managed(id, token))
      yield* end(row)
      return row.id
    }, transaction)

    /** Ends it for the reader of a mail, which may be older than the present subscription of the address. */
    const leave = Effect.fn("ManageSubscription.leave")(function*(id: string, token: string) {
      const row = yield* orNotFound(subscribers.managed(id, token))
      const successor = yield* Effect.orDie(subscribers.successor(row))
      yield* Effect.forEach([row, ...Option.toArray(successor)], end, { discard: true })
    }, transaction)

    /**
     * The page of a subscription and the components that it can choose among: those that visitors see, and those that it has chosen.
     * None of a page that it hears of no more. `onlyAbout` is the title of its only incident.
     */
    const sceneOf = Effect.fn("ManageSubscription.scene")(function*(row: SubscriberRow) {
      const page = yield* orNotFound(pages.find(row.workspaceId, row.pageId))
      const subscriber = subscriberOf(row)
      // The address may have subscribed again.
      const isOver = row.status === "unsubscribed" && Option.isNone(yield* Effect.orDie(subscribers.successor(row)))
      if (!(yield* subscribers.mayHear(row))) return { subscriber, isOver, page, onlyAbout: null, groups: [], components: [] }
      const { incidentId: id, pageId, workspaceId } = row
      const [all, groups, incident] = yield* Effect.orDie(Effect.all([
        components.ofPages(workspaceId, [pageId]),
        components.groupsOf(workspaceId, [pageId]),
        id === null ? Effect.succeedNone : incidents.one({ workspaceId, pageId, id })
      ]))
      const visible = all.filter(({ hidden }) => !hidden)
      return {
        subscriber,
        isOver,
        page,
        onlyAbout: Option.getOrNull(Option.map(incident, (one) => publicIncident(visible, row.language, "", false)(one).title)),
        groups,
        components: all.filter(({ hidden, id }) => !hidden || row.componentIds.includes(id)).map(({ group, id, name }) => ({
          id,
          name,
          group
        }))
      }
    })

    return {
      get: (id: string, token: string) => Effect.map(orNotFound(subscribers.managed(id, token)), subscriberOf),
      confirm,
      update,
      unsubscribe,
      leave,
      scene: (id: string, token: string) => Effect.flatMap(orNotFound(subscribers.managed(id, token)), sceneOf),
      sceneToConfirm: (id: string, token: string) => Effect.flatMap(orNotFound(subscribers.toConfirm(id, token)), sceneOf)
    }
  })
}) {}
