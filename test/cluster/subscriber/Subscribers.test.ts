/** Subscribers of a page on a runner, from the subscription to the last delivery. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import type { ServerResponse } from "node:http"
import { Webhook } from "standardwebhooks"
import type { IncidentId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { DirectMail } from "../../../src/notify/mail/DirectMail.ts"
import { MailServer } from "../../../src/notify/mail/MailServer.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { TakePush } from "../../../src/operations/component/TakePush.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { ManageSubscribers } from "../../../src/operations/subscriber/ManageSubscribers.ts"
import { ManageSubscription } from "../../../src/operations/subscriber/ManageSubscription.ts"
import { Subscribe } from "../../../src/operations/subscriber/Subscribe.ts"
import { EnvironmentMail } from "../../../src/store/mail/MailSetup.ts"
import { answering, type Received, receiver } from "../../notify/alert/Receiver.ts"
import { Ground, newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { type LocalMail, localMail } from "../../support/services/LocalMail.ts"
import { until } from "../../support/time/Until.ts"

class Postbox extends Context.Tag("Postbox")<Postbox, LocalMail>() {}

const mail = DirectMail.layer.pipe(Layer.provideMerge(MailServer.layer))

const environment = Layer.effect(
  EnvironmentMail,
  Effect.map(Postbox, ({ url }) => ({ url: Redacted.make(url), from: "Status <status@belltower.test>" }))
)

const Everything = Layer.mergeAll(
  OpenIncident.Default,
  UpdateIncident.Default,
  TakePush.Default,
  ManageComponents.Default,
  ManageSubscribers.Default,
  ManageSubscription.Default,
  Subscribe.Default
).pipe(
  Layer.provideMerge(TestRunner),
  Layer.provideMerge(mail),
  Layer.provideMerge(Ground),
  Layer.provideMerge(Layer.provideMerge(environment, Layer.scoped(Postbox, localMail())))
)

/** Echoes the challenge, then answers news with a status. */
const subscriberAnswering = (status: () => number) => (response: ServerResponse, _: number, { body }: Received): void => {
  const { challenge, type } = JSON.parse(body)
  if (type === "subscription.verify") return void response.writeHead(200).end(JSON.stringify({ challenge }))
  response.writeHead(status()).end()
}

const eventually = (holds: () => boolean | Effect.Effect<boolean, unknown>) =>
  until(
    Effect.suspend(() => {
      const held = holds()
      return typeof held === "boolean" ? Effect.succeed(held) : held
    }),
    (held) => held
  )

const newsOf = ({ seen }: { readonly seen: ReadonlyArray<Received> }) =>
  seen.flatMap(({ body, headers }) => {
    const payload = JSON.parse(body)
    return payload.type === "subscription.verify" ? [] : [{ body, headers, payload }]
  })

/** A page with two components, and an address that nobody else uses, because calls of one address are limited. */
const scene = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { id: workspaceId } = yield* newWorkspace
  yield* sql`update workspaces set claimed_at = now() where id = ${workspaceId}`
  const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: `Acme ${workspaceId.slice(-6)}` }))
  const components = yield* ManageComponents
  const api = yield* components.create(workspaceId, page.id, { name: "API", manual: true })
  const shop = yield* components.create(workspaceId, page.id, { name: "Shop", manual: true })
  const subscribing = yield* Subscribe
  const opening = yield* OpenIncident
  const updating = yield* UpdateIncident
  const managing = yield* ManageSubscribers
  return {
    sql,
    workspaceId,
    page,
    api,
    shop,
    subscribe: (input: Parameters<typeof subscribing.create>[1]) =>
      subscribing.create(page.slug, input, { address: workspaceId, isLocal: true, isForeign: false }),
    open: (more: Partial<Parameters<typeof opening.create>[1]> = {}) =>
      opening.create(workspaceId, {
        title: "Slow API",
        message: "We are looking into it.",
        components: [{ componentId: api.id, status: "degraded" }],
        ...more
      }),
    post: updating.post,
    statuses: Effect.map(
      managing.list(workspaceId, page.id, { status: null, before: null, limit: 100 }),
      ({ data }) => data.map(({ status }) => status)
    )
  }
})

layer(Everything, { excludeTestServices: true, timeout: "60 seconds" })("a webhook subscriber", (it) => {
  it.scoped("proves that it wants the subscription, and then receives signed news of public incidents", () =>
    Effect.gen(function*() {
      const { open, page, post, sql, subscribe, workspaceId } = yield* scene
      const hook = yield* receiver(subscriberAnswering(() => 204))
      const { id, manageToken, signingSecret, status } = yield* subscribe({ type: "webhook", url: hook.url })
      expect(status).toBe("active")
      expect(JSON.parse(hook.seen[0]?.body ?? "")).toMatchObject({
        type: "subscription.verify",
        challenge: expect.any(String),
        page: { id: page.id, name: page.name, url: page.url }
      })
      const incident = yield* open()
      yield* post(workspaceId, incident.id, { message: "The secret database is on fire.", public: false })
      yield* post(workspaceId, incident.id, { message: "Fixed.", status: "resolved" })
      const ofType = (type: string) => newsOf(hook).find(({ payload }) => payload.type === type)
      yield* eventually(() => ofType("incident.created") !== undefined && ofType("incident.resolved") !== undefined)
      const created = ofType("incident.created")
      expect(new Webhook(signingSecret ?? "").verify(created?.body ?? "", created?.headers as never)).toMatchObject({
        id: created?.headers["webhook-id"],
        type: "incident.created",
        // The incident may be over by the time the message is composed.
        page: {
          id: page.id,
          status: "degraded",
          api: `http://belltower.test/api/v1/public/pages/${page.slug}`
        },
        data: { incident: { id: incident.id, title: "Slow API", updates: [{ body: "We are looking into it." }] } },
        subscription: {
          id,
          components: [],
          manage: expect.stringContaining(`/api/v1/public/subscribers/${id}?token=${manageToken}`)
        }
      })
      expect(ofType("incident.resolved")?.payload).toMatchObject({
        type: "incident.resolved",
        page: { status: "operational" },
        data: { incident: { status: "resolved" } }
      })
      expect(JSON.stringify(newsOf(hook).map(({ payload }) => payload))).not.toContain("secret database")
      const [row] = yield* sql<{ readonly sealed: string }>`select sealed from subscribers where id = ${id}`
      expect(row?.sealed).not.toContain(hook.url)
      // Nothing is left open.
      yield* eventually(() =>
        Effect.map(sql`select 1 from subscriber_deliveries where subscriber_id = ${id}`, (rows) => rows.length === 0)
      )
    }))

  it.scoped("is not stored if it does not repeat the challenge", () =>
    Effect.gen(function*() {
      const { statuses, subscribe } = yield* scene
      const silent = yield* receiver(answering(200))
      const failure = yield* Effect.flip(subscribe({ type: "webhook", url: silent.url }))
      expect(failure).toMatchObject({ _tag: "validation_failed" })
      expect(yield* statuses).toEqual([])
    }))

  it.scoped("hears only of its components and kinds of news, of nothing with notify false, and as a webhook also of their statuses", () =>
    Effect.gen(function*() {
      const { api, open, shop, subscribe } = yield* scene
      const all = yield* receiver(subscriberAnswering(() => 204))
      const onlyShop = yield* receiver(subscriberAnswering(() => 204))
      const onlyStatus = yield* receiver(subscriberAnswering(() => 204))
      yield* subscribe({ type: "webhook", url: all.url })
      yield* subscribe({ type: "webhook", url: onlyShop.url, components: [shop.key] })
      yield* subscribe({ type: "webhook", url: onlyStatus.url, kinds: ["components"] })
      yield* open({ notify: false, title: "Quiet" })
      yield* open()
      yield* open({ title: "Shop too", components: [{ componentId: shop.id, status: "partial_outage" }] })
      const titles = (hook: typeof all) =>
        newsOf(hook).flatMap(({ payload }) => (payload.type === "incident.created" ? [payload.data.incident.title] : [])).sort()
      const changed = (hook: typeof all) =>
        newsOf(hook).flatMap(({ payload }) => (payload.type === "component.status_changed" ? [payload.data.component.id] : []))
      yield* eventually(() => titles(all).length === 2 && titles(onlyShop).length === 1 && changed(onlyShop).length > 0)
      expect([titles(all), titles(onlyShop)]).toEqual([["Shop too", "Slow API"], ["Shop too"]])
      yield* eventually(() => changed(all).includes(api.id))
      expect(changed(onlyShop)).toEqual([shop.id])
      yield* eventually(() => changed(onlyStatus).includes(shop.id))
      expect(titles(onlyStatus)).toEqual([])
    }))

  it.scoped("hears of a flapping component's first outages, of none by half, and then of what lasts", () =>
    Effect.gen(function*() {
      const { page, sql, subscribe, workspaceId } = yield* scene
      const hook = yield* receiver(subscriberAnswering(() => 204))
      yield* subscribe({ type: "webhook", url: hook.url })
      const queue = yield* Effect.flatMap(
        ManageComponents,
        (components) => components.create(workspaceId, page.id, { name: "Queue", push: true, confirmations: 1 })
      )
      const { take } = yield* TakePush
      const token = queue.pushUrl?.slice(queue.pushUrl.lastIndexOf("/") + 1) ?? ""
      const flap = Effect.all([take(token, { status: "major_outage" }), take(token, { status: "operational" })])
      yield* take(token, { status: "operational" })
      for (let time = 0; time < 6; time++) yield* flap
      yield* take(token, { status: "major_outage" })
      const received = (type: string) => newsOf(hook).filter(({ payload }) => payload.type === type)
      // Before all of them are decided, an earlier outage may be the one that waits.
      const undecided = sql`select 1 from events where workspace_id = ${workspaceId} and not fanned_out`
      yield* eventually(() => Effect.map(undecided, (rows) => rows.length === 0))
      const waiting = sql`
        select 1 from broadcasts where workspace_id = ${workspaceId} and opens and position = '' and visited_at > now()`
      expect(yield* waiting).toHaveLength(1)
      // The end of an outage may arrive before its start: each is a delivery of its own.
      const outages = () => [received("incident.created").length, received("incident.resolved").length]
      yield* eventually(() => outages().every((count) => count >= 3))
      expect(outages()).toEqual([3, 3])
      expect(received("component.status_changed").length).toBeLessThanOrEqual(6)
      // After the wait it is announced, because it lasts.
      yield* sql`update broadcasts set visited_at = now() where workspace_id = ${workspaceId} and visited_at > now()`
      yield* sql`select pg_notify('belltower_broadcasts', '')`
      yield* eventually(() => received("incident.created").length === 4)
      expect(received("component.status_changed").at(-1)?.payload.data.to).toBe("major_outage")
    }))

  it.scoped("hears immediately what a person writes about something that flaps, and then its end, once", () =>
    Effect.gen(function*() {
      const { page, post, sql, subscribe, workspaceId } = yield* scene
      const hook = yield* receiver(subscriberAnswering(() => 204))
      yield* subscribe({ type: "webhook", url: hook.url })
      const queue = yield* Effect.flatMap(
        ManageComponents,
        (components) => components.create(workspaceId, page.id, { name: "Queue", push: true, confirmations: 1 })
      )
      const { take } = yield* TakePush
      const token = queue.pushUrl?.slice(queue.pushUrl.lastIndexOf("/") + 1) ?? ""
      const fails = take(token, { status: "major_outage" })
      const recovers = take(token, { status: "operational" })
      const openId = Effect.flatMap(
        sql<{ readonly id: IncidentId }>`select id from incidents where workspace_id = ${workspaceId} and resolved_at is null`,
        ([row]) => Effect.orDie(Effect.fromNullable(row?.id))
      )
      const received = (type: string) =>
        newsOf(hook).filter(({ payload }) => payload.type === type).map(({ payload }) => payload.data)
      const undecided = sql`select 1 from events where workspace_id = ${workspaceId} and not fanned_out`
      const decided = eventually(() => Effect.map(undecided, (rows) => rows.length === 0))
      const waiting = sql`
        select 1 from broadcasts where workspace_id = ${workspaceId} and opens and position = '' and visited_at > now()`
      yield* recovers
      for (let time = 0; time < 4; time++) yield* Effect.all([fails, recovers])
      yield* fails
      yield* decided
      expect(yield* waiting).toHaveLength(1)
      const explained = yield* openId
      yield* post(workspaceId, explained, { message: "For the team.", public: false })
      yield* post(workspaceId, explained, { message: "Said to nobody.", notify: false })
      yield* decided
      expect(yield* waiting).toHaveLength(1)
      yield* post(workspaceId, explained, { message: "We are adding capacity." })
      yield* eventually(() => received("incident.updated").length > 0)
      expect(yield* waiting).toEqual([])
      expect(received("incident.updated")).toMatchObject([{
        incident: { id: explained, updates: [{}, { body: "Said to nobody." }, { body: "We are adding capacity." }] },
        update: { body: "We are adding capacity." }
      }])
      yield* recovers
      yield* eventually(() => received("incident.resolved").some(({ incident }) => incident.id === explained))

      // A person's resolution ends an opening that waits, and tells of it unless nobody is to be notified.
      for (const more of [{}, { notify: false }, { public: false }]) {
        yield* fails
        yield* decided
        expect(yield* waiting).toHaveLength(1)
        yield* post(workspaceId, yield* openId, { message: "Drained.", status: "resolved", ...more })
        yield* decided
        expect(yield* waiting).toEqual([])
        yield* recovers
      }
      yield* eventually(() => received("incident.resolved").length === 5)
      const unsent = sql`
        select 1 from broadcasts b where workspace_id = ${workspaceId}
          and (contents is null or expanded_at is null and visited_at <= now()
            or exists (select from subscriber_deliveries d where d.event_id = b.event_id and d.page_id = b.page_id))`
      yield* eventually(() => Effect.map(unsent, (rows) => rows.length === 0))
      expect(
        [received("incident.created"), received("incident.updated"), received("incident.resolved")].map(({ length }) => length)
      ).toEqual(
        [
          3,
          1,
          5
        ]
      )
    }))

  it.scoped("of one incident ends after it, also if nobody is notified that it is resolved", () =>
    Effect.gen(function*() {
      const { open, post, sql, subscribe, workspaceId } = yield* scene
      const hook = yield* receiver(subscriberAnswering(() => 204))
      for (const silent of [{ notify: false }, { public: false }]) {
        const incident = yield* open()
        const { id } = yield* subscribe({ type: "webhook", url: hook.url, incident: incident.id })
        yield* post(workspaceId, incident.id, { message: "Fixed.", status: "resolved", ...silent })
        const look = sql`
          update alarms set due_at = now() where kind = 'subscriber' and id = ${id} and due_at > now() + interval '11 hours'
          returning id`
        expect(yield* look).toEqual([{ id }])
        yield* sql`update incidents set resolved_at = resolved_at - interval '13 hours' where id = ${incident.id}`
        yield* sql`select pg_notify('belltower_alarms', '')`
        const ended = sql`select 1 from subscribers where id = ${id} and status = 'unsubscribed'`
        yield* eventually(() => Effect.map(ended, (rows) => rows.length === 1))
      }
    }))

  it.scoped("hears of an incident whatever else is open on the page, and can subscribe to it alone", () =>
    Effect.gen(function*() {
      const { open, page, post, sql, subscribe, workspaceId } = yield* scene
      const hook = yield* receiver(subscriberAnswering(() => 204))
      const incident = yield* open()
      yield* sql`
        insert into incidents (id, workspace_id, kind, title, status, impact, public, automatic, page_ids, components, started_at,
                               updated_at)
        select ${`inc_${
        workspaceId.slice(-8)
      }_`} || n, ${workspaceId}, 'incident', 'Newer', 'investigating', 'minor', true, false,
               array[${page.id}], '[]', now() + interval '1 second', now()
        from generate_series(1, 120) n`
      yield* subscribe({ type: "webhook", url: hook.url, incident: incident.id })
      yield* post(workspaceId, incident.id, { message: "We found the cause." })
      yield* post(workspaceId, incident.id, { message: "Fixed.", status: "resolved" })
      yield* eventually(() =>
        ["incident.updated", "incident.resolved"].every((type) => newsOf(hook).some(({ payload }) => payload.type === type))
      )
    }))

  it.scoped("is disabled when its endpoint answers 410", () =>
    Effect.gen(function*() {
      const { open, statuses, subscribe } = yield* scene
      const hook = yield* receiver(subscriberAnswering(() => 410))
      yield* subscribe({ type: "webhook", url: hook.url })
      yield* open()
      yield* eventually(() => Effect.map(statuses, ([status]) => status === "disabled"))
    }))

  it.scoped("is disabled when ten of its deliveries have died", () =>
    Effect.gen(function*() {
      const { open, sql, statuses, subscribe } = yield* scene
      const hook = yield* receiver(subscriberAnswering(() => 400))
      const { id } = yield* subscribe({ type: "webhook", url: hook.url })
      yield* sql`update subscribers set dead_deliveries = 8 where id = ${id}`
      yield* open()
      yield* eventually(() =>
        Effect.map(sql`select 1 from subscribers where id = ${id} and dead_deliveries >= 9`, (rows) => rows.length === 1)
      )
      expect(hook.seen.length).toBeGreaterThan(0)
      yield* open({ title: "Again" })
      yield* eventually(() => Effect.map(statuses, ([status]) => status === "disabled"))
    }))

  it.scoped("of one incident hears of nothing else, and ends after it", () =>
    Effect.gen(function*() {
      const { open, post, sql, subscribe, workspaceId } = yield* scene
      const hook = yield* receiver(subscriberAnswering(() => 204))
      const incident = yield* open()
      const { id } = yield* subscribe({ type: "webhook", url: hook.url, incident: incident.id })
      yield* open({ title: "Other" })
      yield* post(workspaceId, incident.id, { message: "Fixed.", status: "resolved" })
      yield* eventually(() => newsOf(hook).some(({ payload }) => payload.type === "incident.resolved"))
      // Its beginning is news, too, if it is sent only after somebody subscribed.
      expect(new Set(newsOf(hook).map(({ payload }) => payload.data.incident.id))).toEqual(new Set([incident.id]))
      // Its actor waits until the last delivery has had its time.
      yield* sql`update subscribers set incident_ended_at = now() - interval '13 hours' where id = ${id}`
      yield* sql`update alarms set due_at = now() where kind = 'subscriber' and id = ${id}`
      yield* sql`select pg_notify('belltower_alarms', '')`
      yield* eventually(() =>
        Effect.map(sql`select 1 from subscribers where id = ${id} and status = 'unsubscribed'`, (rows) => rows.length === 1)
      )
    }))
})

layer(Everything, { excludeTestServices: true, timeout: "60 seconds" })("an email subscriber", (it) => {
  const email = Schema.decodeSync(EmailAddress)("reader@example.com")

  it.scoped("confirms the address, gets news in its language, and unsubscribes with one click", () =>
    Effect.gen(function*() {
      const { open, statuses, subscribe } = yield* scene
      const box = yield* Postbox
      const managing = yield* ManageSubscription
      const { id, manageToken, status } = yield* subscribe({ type: "email", email, language: "de" })
      expect(status).toBe("pending")
      const asked = yield* box.next
      expect(asked.mail.subject).toContain("bestätigen")
      const [, token = ""] = new RegExp(`/subscriptions/${id}/confirm/(\\w+)`).exec(asked.mail.text ?? "") ?? []
      yield* open({ title: "Before" })
      yield* managing.confirm(id, token)
      // A second click changes nothing.
      yield* managing.confirm(id, token)
      expect(yield* statuses).toEqual(["active"])
      yield* open({ title: "After" })
      // Who confirms while news goes out may still hear it.
      const first = yield* box.next
      const news = first.mail.subject?.endsWith("Before") ? yield* box.next : first
      expect(news.mail.subject).toMatch(/^Acme .*After$/)
      expect(news.mail.text).toContain("Abmelden")
      expect(news.mail.html).toContain("lang=\"de\"")
      const header = (name: string) => news.mail.headers.find(({ key }) => key === name)?.value
      expect(header("list-unsubscribe")).toBe(`<http://belltower.test/subscriptions/${id}/${manageToken}/unsubscribe>`)
      expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click")
      expect(header("references")).toMatch(/^<inc_\w+@incidents\.belltower>$/)
      yield* managing.unsubscribe(id, manageToken)
      expect(yield* statuses).toEqual(["unsubscribed"])
      expect(yield* Effect.flip(managing.confirm(id, token))).toMatchObject({ _tag: "not_found" })
    }))

  it.scoped("takes the last place of a page once, also if several confirm at the same time", () =>
    Effect.gen(function*() {
      const { page, sql, subscribe, workspaceId } = yield* scene
      const box = yield* Postbox
      const { confirm } = yield* ManageSubscription
      yield* sql`update workspaces set plan = 'free' where id = ${workspaceId}`
      const links = yield* Effect.forEach([1, 2, 3, 4], (count) =>
        Effect.gen(function*() {
          const address = Schema.decodeSync(EmailAddress)(`last-${count}-${workspaceId.slice(-8)}@example.com`)
          const { id } = yield* subscribe({ type: "email", email: address })
          const [, token = ""] = /\/confirm\/(\w+)/.exec((yield* box.next).mail.text ?? "") ?? []
          return { id, token }
        }))
      yield* sql`
        insert into subscribers
          (id, workspace_id, page_id, type, status, language, email, target_hash, sealed, manage_hash, component_ids, kinds,
           knew_password, created_at, updated_at)
        select 'sub_' || lpad(n::text, 26, '0'), ${workspaceId}, ${page.id}, 'email', 'active', 'en', n || '@example.com',
               sha256(n::text::bytea), 'sealed', sha256(('m' || n)::bytea), '{}', '{}', false, now(), now()
        from generate_series(1, 99) n`
      const outcomes = yield* Effect.forEach(
        links,
        ({ id, token }) => Effect.match(confirm(id, token), { onFailure: ({ _tag }): string => _tag, onSuccess: () => "made" }),
        { concurrency: "unbounded" }
      )
      expect(outcomes.sort()).toEqual(["made", "plan_limit", "plan_limit", "plan_limit"])
      const active = yield* sql`select from subscribers where page_id = ${page.id} and status = 'active'`
      expect(active.length).toBe(100)
    }))

  it.scoped("of one incident that confirms after its end is not kept", () =>
    Effect.gen(function*() {
      const { open, post, sql, statuses, subscribe, workspaceId } = yield* scene
      const box = yield* Postbox
      const incident = yield* open()
      const address = Schema.decodeSync(EmailAddress)(`late-${workspaceId.slice(-8)}@example.com`)
      const { id } = yield* subscribe({ type: "email", email: address, incident: incident.id })
      const [, token = ""] = /\/confirm\/(\w+)/.exec((yield* box.next).mail.text ?? "") ?? []
      yield* post(workspaceId, incident.id, { message: "Fixed.", status: "resolved" })
      yield* sql`update incidents set resolved_at = resolved_at - interval '13 hours' where id = ${incident.id}`
      yield* Effect.flatMap(ManageSubscription, ({ confirm }) => confirm(id, token))
      yield* eventually(() => Effect.map(statuses, ([status]) => status === "unsubscribed"))
    }))

  it.scoped("of a page that becomes private hears of it only while the address is a member's", () =>
    Effect.gen(function*() {
      const { open, page, post, sql, subscribe, workspaceId } = yield* scene
      const box = yield* Postbox
      const managing = yield* ManageSubscription
      const confirmed = Effect.fn("confirmed")(function*(address: string) {
        const { id } = yield* subscribe({ type: "email", email: Schema.decodeSync(EmailAddress)(address) })
        const [, token = ""] = /\/confirm\/(\w+)/.exec((yield* box.next).mail.text ?? "") ?? []
        yield* managing.confirm(id, token)
      })
      const member = `member-${workspaceId.slice(-8)}@example.com`
      yield* confirmed(`stranger-${workspaceId.slice(-8)}@example.com`)
      yield* confirmed(member)
      yield* sql`insert into users (id, email, created_at, updated_at) values (${`usr_${workspaceId}`}, ${member}, now(), now())`
      yield* sql`
        insert into memberships (workspace_id, user_id, role, created_at)
        values (${workspaceId}, ${`usr_${workspaceId}`}, 'viewer', now())`
      yield* sql`update pages set visibility = 'private' where id = ${page.id}`
      const incident = yield* open({ title: "Inside" })
      const first = yield* box.next
      expect([first.mail.to?.map(({ address }) => address), first.mail.subject]).toEqual([
        [member],
        expect.stringContaining("Inside")
      ])
      yield* sql`delete from memberships where workspace_id = ${workspaceId}`
      yield* post(workspaceId, incident.id, { message: "Still inside." })
      const walked = sql`
        select 1 from broadcasts b join events e on e.workspace_id = b.workspace_id and e.id = b.event_id
        where b.workspace_id = ${workspaceId} and e.type = 'incident.updated' and b.expanded_at is not null`
      yield* eventually(() => Effect.map(walked, (rows) => rows.length === 1))
      yield* sql`update pages set visibility = 'public' where id = ${page.id}`
      yield* post(workspaceId, incident.id, { message: "Open again." })
      const after = [yield* box.next, yield* box.next]
      expect(after.every(({ mail }) => mail.text?.includes("Open again."))).toBe(true)
    }))

  it.scoped("is deleted if nobody confirms the address", () =>
    Effect.gen(function*() {
      const { sql, statuses, subscribe } = yield* scene
      const { id } = yield* subscribe({ type: "email", email })
      yield* sql`update subscribers set created_at = created_at - interval '25 hours' where id = ${id}`
      yield* sql`update alarms set due_at = now() where kind = 'subscriber' and id = ${id}`
      yield* sql`select pg_notify('belltower_alarms', '')`
      yield* eventually(() => Effect.map(statuses, (all) => all.length === 0))
    }))

  it.scoped("cannot be made to flood an address with confirmations", () =>
    Effect.gen(function*() {
      const { subscribe } = yield* scene
      const victim = Schema.decodeSync(EmailAddress)("victim@example.com")
      for (let call = 0; call < 5; call++) yield* subscribe({ type: "email", email: victim })
      expect(yield* Effect.flip(subscribe({ type: "email", email: victim }))).toMatchObject({ _tag: "rate_limited" })
    }))

  it.scoped("needs a page that takes emails, and a claimed workspace", () =>
    Effect.gen(function*() {
      const { page, sql, subscribe, workspaceId } = yield* scene
      yield* sql`update workspaces set claimed_at = null where id = ${workspaceId}`
      expect(yield* Effect.flip(subscribe({ type: "email", email }))).toMatchObject({ _tag: "forbidden" })
      yield* sql`update workspaces set claimed_at = now() where id = ${workspaceId}`
      yield* sql`update pages set settings = '{"subscriptions": {"email": false}}' where id = ${page.id}`
      expect(yield* Effect.flip(subscribe({ type: "email", email }))).toMatchObject({ _tag: "forbidden" })
    }))
})
