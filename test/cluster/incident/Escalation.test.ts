/** Escalation and reminders on a runner: levels by their alarms, across downtime, until somebody acknowledges. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Schema } from "effect"
import { ChannelId, type IncidentId, UserId, type WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { priorityNumber } from "../../../src/domain/mail/MailSlots.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ManageSchedules } from "../../../src/operations/oncall/ManageSchedules.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Users } from "../../../src/store/people/Users.ts"
import { callerOf } from "../../support/program/KeyCaller.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const operations = Layer.mergeAll(
  OpenIncident.Default,
  UpdateIncident.Default,
  AcknowledgeIncident.Default,
  ManagePolicies.Default,
  ManageSchedules.Default,
  ManageChannels.Default
)

let people = 0

/** A member with a proved address. */
const newMember = (workspaceId: WorkspaceId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const users = yield* Users
    const email = Schema.decodeSync(EmailAddress)(`person-${++people}@example.com`)
    const { id } = yield* users.ensure(email, true, null)
    yield* sql`
      insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${id}, 'member', now())`
    return { id: UserId.make(id), email }
  })

/** Lets time pass for an incident while no process runs: everything about it moves into the past. */
const sleptThrough = (id: IncidentId, minutes: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ago = `${minutes} minutes`
    yield* sql.withTransaction(Effect.all([
      sql`update incidents set started_at = started_at - ${ago}::interval where id = ${id}`,
      sql`
        update incident_alerting
        set next_at = next_at - ${ago}::interval, unacknowledged_since = unacknowledged_since - ${ago}::interval
        where incident_id = ${id}`,
      sql`update alarms set due_at = due_at - ${ago}::interval where kind = 'incident' and id = ${id}`
    ]))
    yield* sql`select pg_notify('belltower_alarms', '')`
  })

/** The records and mails of a workspace's escalations. */
const recordOf = (workspaceId: WorkspaceId) =>
  Effect.gen(function*() {
    const log = yield* EventLog
    const sql = yield* SqlClient.SqlClient
    const events = Effect.map(log.after(workspaceId, "", ["incident.escalated"], 100), (found) => found.map(({ data }) => data))
    return {
      events,
      levels: Effect.map(events, (found) => found.map(({ level, round }) => [round, level])),
      mails: Effect.map(
        sql<{ readonly recipient: string }>`select recipient from mails where workspace_id = ${workspaceId} order by id`,
        (rows) => rows.map(({ recipient }) => recipient)
      ),
      priorities: Effect.map(
        sql<{ readonly priority: number }>`select distinct priority from mails where workspace_id = ${workspaceId}`,
        (rows) => rows.map(({ priority }) => priority)
      )
    }
  })

const open = (workspaceId: WorkspaceId) =>
  Effect.flatMap(OpenIncident, ({ create }) => create(workspaceId, { title: "Slow checkout", message: "We look into it." }))

const policy = (workspaceId: WorkspaceId, input: Partial<Parameters<ManagePolicies["create"]>[1]> = {}) =>
  Effect.gen(function*() {
    const { create } = yield* ManagePolicies
    const member = yield* newMember(workspaceId)
    const target = { type: "user" as const, id: member.id }
    const made = yield* create(workspaceId, {
      name: "Platform",
      levels: [{ afterMinutes: 0, targets: [target] }, { afterMinutes: 10, targets: [target] }],
      ...input
    })
    return { member, policy: made }
  })

layer(Layer.provideMerge(operations, TestRunner), { excludeTestServices: true })((it) => {
  describe("an escalation policy", () => {
    it.effect("pages level 1 when an incident opens, and each next level after its minutes", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const { member } = yield* policy(workspaceId)
        const { events, levels, mails, priorities } = yield* recordOf(workspaceId)
        const { id } = yield* open(workspaceId)
        yield* until(levels, (found) => found.length === 1)
        yield* sleptThrough(id, 9)
        expect(yield* levels).toEqual([[1, 1]])
        yield* sleptThrough(id, 2)
        yield* until(levels, (found) => found.length === 2)
        expect(yield* levels).toEqual([[1, 1], [1, 2]])
        expect([yield* mails, yield* priorities]).toEqual([[member.email, member.email], [priorityNumber.urgent]])
        expect((yield* events)[1]).toMatchObject({
          incident: { id },
          policy: { name: "Platform" },
          level: 2,
          levels: 2,
          round: 1,
          unacknowledgedForMinutes: 11,
          notified: { channelIds: [], users: [{ id: member.id, email: member.email }] }
        })
      }))

    it.effect("begins when an update brings an incident without a policy onto its page, and takes no incident over", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const pages = yield* ManagePages
        const components = yield* ManageComponents
        const shown = yield* Effect.forEach(["One", "Two", "Three"], (name) =>
          Effect.gen(function*() {
            const page = yield* pages.create(workspaceId, { name })
            const component = yield* components.create(workspaceId, page.id, { name: "Checkout" })
            return { page, list: [{ componentId: component.id, status: "degraded" as const }] }
          }))
        const [one, two, three] = shown as [typeof shown[0], typeof shown[0], typeof shown[0]]
        const { member } = yield* policy(workspaceId, { isDefault: false, pageIds: [two.page.id] })
        yield* policy(workspaceId, { name: "Other", isDefault: false, pageIds: [three.page.id] })
        const { events, levels, mails } = yield* recordOf(workspaceId)
        const { acknowledge, unacknowledge } = yield* AcknowledgeIncident
        const update = yield* UpdateIncident
        const bringOnto = (id: IncidentId, { list }: typeof one) =>
          update.post(workspaceId, id, { message: "It is slow.", components: list })

        const { id } = yield* open(workspaceId)
        yield* bringOnto(id, one)
        yield* bringOnto(id, two)
        yield* until(levels, (found) => found.length === 1)
        yield* bringOnto(id, three)
        yield* bringOnto(id, two)
        yield* sleptThrough(id, 11)
        yield* until(levels, (found) => found.length === 2)
        expect([yield* levels, yield* mails]).toEqual([[[1, 1], [1, 2]], [member.email, member.email]])

        // An incident that somebody takes care of pages nobody until that ends.
        const { id: second } = yield* open(workspaceId)
        yield* acknowledge(callerOf(workspaceId), second)
        yield* bringOnto(second, three)
        yield* sleptThrough(second, 30)
        expect(yield* levels).toHaveLength(2)
        yield* unacknowledge(callerOf(workspaceId), second)
        yield* until(events, (found) => found.length === 3)
        expect((yield* events)[2]).toMatchObject({ incident: { id: second }, policy: { name: "Other" }, level: 1 })

        // An update that ends it pages nobody.
        const { id: last } = yield* open(workspaceId)
        yield* update.post(workspaceId, last, { message: "Over.", status: "resolved", components: two.list })
        const rows = yield* Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`select 1 from incident_alerting where incident_id = ${last}`
        )
        expect(rows).toEqual([])
      }))

    it.effect("pages each level once after a downtime, and then gives people their full time", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        yield* policy(workspaceId, { repeat: 1, repeatAfterMinutes: 30 })
        const { levels } = yield* recordOf(workspaceId)
        const { id } = yield* open(workspaceId)
        yield* until(levels, (found) => found.length === 1)
        yield* sleptThrough(id, 600)
        yield* until(levels, (found) => found.length === 2)
        yield* sleptThrough(id, 29)
        expect(yield* levels).toEqual([[1, 1], [1, 2]])
        yield* sleptThrough(id, 2)
        yield* until(levels, (found) => found.length === 3)
        yield* sleptThrough(id, 600)
        yield* until(levels, (found) => found.length === 4)
        yield* sleptThrough(id, 600)
        expect(yield* levels).toEqual([[1, 1], [1, 2], [2, 1], [2, 2]])
      }))

    it.effect("stops at an acknowledgement, and goes on when that is taken back", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        yield* policy(workspaceId)
        const { levels } = yield* recordOf(workspaceId)
        const acknowledging = yield* AcknowledgeIncident
        const { id } = yield* open(workspaceId)
        yield* until(levels, (found) => found.length === 1)
        yield* acknowledging.acknowledge(callerOf(workspaceId), id)
        yield* sleptThrough(id, 60)
        const sql = yield* SqlClient.SqlClient
        yield* until(sql`select 1 from alarms where id = ${id}`, (rows) => rows.length === 0)
        expect(yield* levels).toEqual([[1, 1]])
        yield* acknowledging.unacknowledge(callerOf(workspaceId), id)
        yield* until(levels, (found) => found.length === 2)
        expect(yield* levels).toEqual([[1, 1], [1, 2]])
      }))

    it.effect("ends with its incident, and with the policy", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const made = yield* policy(workspaceId)
        const { levels } = yield* recordOf(workspaceId)
        const sql = yield* SqlClient.SqlClient
        const first = yield* open(workspaceId)
        yield* until(levels, (found) => found.length === 1)
        yield* Effect.flatMap(UpdateIncident, ({ resolve }) => resolve(workspaceId, first.id, {}))
        yield* sleptThrough(first.id, 60)
        yield* until(sql`select 1 from alarms where id = ${first.id}`, (rows) => rows.length === 0)
        const second = yield* open(workspaceId)
        yield* until(levels, (found) => found.length === 2)
        yield* Effect.flatMap(ManagePolicies, ({ remove }) => remove(workspaceId, made.policy.id))
        yield* sleptThrough(second.id, 60)
        yield* until(sql`select 1 from alarms where id = ${second.id}`, (rows) => rows.length === 0)
        expect(yield* levels).toHaveLength(2)
      }))

    it.effect("pages the person on call when the level is paged, and the next participant after someone has left", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const sql = yield* SqlClient.SqlClient
        const members = [yield* newMember(workspaceId), yield* newMember(workspaceId), yield* newMember(workspaceId)] as const
        const schedules = yield* ManageSchedules
        const schedule = yield* schedules.create(workspaceId, {
          name: "Platform",
          timezone: "Europe/Athens",
          handoffDay: 0,
          handoffTime: "09:00",
          participants: [members[0].id, members[1].id]
        })
        const targets = [{ type: "schedule" as const, id: schedule.id }]
        yield* policy(workspaceId, {
          levels: [{ afterMinutes: 0, targets }, { afterMinutes: 5, targets }, { afterMinutes: 5, targets }]
        })
        const { levels, mails } = yield* recordOf(workspaceId)
        const { id } = yield* open(workspaceId)
        yield* until(levels, (found) => found.length === 1)
        const now = yield* DateTime.now
        yield* schedules.addOverride(workspaceId, schedule.id, {
          userId: members[2].id,
          start: DateTime.subtract(now, { hours: 1 }),
          end: DateTime.add(now, { hours: 1 })
        })
        yield* sleptThrough(id, 6)
        yield* until(levels, (found) => found.length === 2)
        yield* sql`delete from memberships where workspace_id = ${workspaceId} and user_id = any(${[
          members[0].id,
          members[2].id
        ]})`
        yield* sleptThrough(id, 6)
        yield* until(levels, (found) => found.length === 3)
        expect(yield* mails).toEqual([members[0].email, members[2].email, members[1].email])
      }))

    it.effect("passes over a level whose targets are gone", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const member = yield* newMember(workspaceId)
        const channels = yield* ManageChannels
        const channel = yield* channels.create(workspaceId, { name: "Hook", type: "webhook", url: "http://127.0.0.1:9/" })
        yield* policy(workspaceId, {
          levels: [
            { afterMinutes: 0, targets: [{ type: "channel", id: channel.id }] },
            { afterMinutes: 60, targets: [{ type: "user", id: member.id }] }
          ]
        })
        yield* channels.remove(workspaceId, ChannelId.make(channel.id))
        const { events, levels } = yield* recordOf(workspaceId)
        yield* open(workspaceId)
        yield* until(levels, (found) => found.length === 2)
        expect((yield* events).map(({ notified }) => notified)).toMatchObject([{ users: [] }, { users: [{ id: member.id }] }])
      }))

    it.effect("passes over a level whose channels are disabled, and lists only whom it notified", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const member = yield* newMember(workspaceId)
        const channels = yield* ManageChannels
        const hook = { name: "Hook", type: "webhook" as const, url: "http://127.0.0.1:9/" }
        const off = yield* channels.create(workspaceId, { ...hook, enabled: false })
        const on = yield* channels.create(workspaceId, hook)
        const target = ({ id }: typeof on) => ({ type: "channel" as const, id })
        yield* policy(workspaceId, {
          levels: [
            { afterMinutes: 0, targets: [target(off)] },
            { afterMinutes: 60, targets: [target(off), target(on), { type: "user", id: member.id }] },
            { afterMinutes: 60, targets: [{ type: "user", id: member.id }] }
          ]
        })
        const { events, levels } = yield* recordOf(workspaceId)
        yield* open(workspaceId)
        yield* until(levels, (found) => found.length === 2)
        expect((yield* events).map(({ notified }) => notified)).toMatchObject([
          { channelIds: [], users: [] },
          { channelIds: [on.id], users: [{ id: member.id }] }
        ])
      }))

    it.effect("does not wait for a level whose only channel no message reaches", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const sql = yield* SqlClient.SqlClient
        const { create } = yield* ManageChannels
        const { id } = yield* create(workspaceId, { name: "Hook", type: "webhook", url: "https://example.com/hook" })
        yield* sql`update channels set problem = 'Answered 410 Gone', problem_at = now() where id = ${id}`
        const member = yield* newMember(workspaceId)
        yield* policy(workspaceId, {
          levels: [
            { afterMinutes: 0, targets: [{ type: "channel", id }] },
            { afterMinutes: 60, targets: [{ type: "user", id: member.id }] }
          ]
        })
        const { events, levels } = yield* recordOf(workspaceId)
        yield* open(workspaceId)
        yield* until(levels, (found) => found.length === 2)
        expect((yield* events).map(({ notified }) => notified)).toMatchObject([
          { channelIds: [id], users: [] },
          { channelIds: [], users: [{ id: member.id }] }
        ])
      }))

    it.effect("pages the next participant if no mail reaches the person on call, who is not listed as notified", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const sql = yield* SqlClient.SqlClient
        const [unproved, next] = [yield* newMember(workspaceId), yield* newMember(workspaceId)] as const
        yield* sql`update users set shown_email = 'unproved@example.com' where id = ${unproved.id}`
        const schedule = yield* Effect.flatMap(ManageSchedules, ({ create }) =>
          create(workspaceId, {
            name: "Platform",
            timezone: "UTC",
            handoffDay: 0,
            handoffTime: "09:00",
            participants: [unproved.id, next.id]
          }))
        yield* policy(workspaceId, {
          levels: [
            { afterMinutes: 0, targets: [{ type: "user", id: unproved.id }] },
            { afterMinutes: 60, targets: [{ type: "schedule", id: schedule.id }] }
          ]
        })
        const { events, levels } = yield* recordOf(workspaceId)
        yield* open(workspaceId)
        yield* until(levels, (found) => found.length === 2)
        expect((yield* events).map(({ notified }) => notified)).toMatchObject([
          { users: [], unreached: [{ id: unproved.id, reason: "The email address is not confirmed" }] },
          { users: [{ id: next.id }] }
        ])
      }))

    it.effect("pages nobody who has typed an address without confirming it", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const sql = yield* SqlClient.SqlClient
        const typed = yield* newMember(workspaceId)
        yield* sql`update users set email_proved_at = null where id = ${typed.id}`
        yield* policy(workspaceId, { levels: [{ afterMinutes: 0, targets: [{ type: "user", id: typed.id }] }] })
        const { events, levels, mails } = yield* recordOf(workspaceId)
        yield* open(workspaceId)
        yield* until(levels, (found) => found.length === 1)
        expect((yield* events)[0]?.notified).toMatchObject({ users: [], unreached: [{ id: typed.id }] })
        expect(yield* mails).toEqual([])
      }))

    it.effect("pages a channel in its quiet hours, which hold its other messages", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const sql = yield* SqlClient.SqlClient
        const channels = yield* ManageChannels
        const now = yield* DateTime.now
        const clock = (hours: number) => DateTime.formatIso(DateTime.add(now, { hours })).slice(11, 16)
        const channel = yield* channels.create(workspaceId, {
          name: "Team",
          type: "webhook",
          url: "http://127.0.0.1:9/quiet",
          quietHours: { timezone: "UTC", from: clock(-1), to: clock(1) }
        })
        yield* policy(workspaceId, { levels: [{ afterMinutes: 0, targets: [{ type: "channel", id: channel.id }] }] })
        yield* open(workspaceId)
        const sent = sql<{ readonly type: string }>`
          select e.type from deliveries d join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
          where d.workspace_id = ${workspaceId}`
        const held = sql<{ readonly type: string }>`
          select e.type from quiet_alerts q join events e on e.workspace_id = q.workspace_id and e.id = q.event_id
          where q.workspace_id = ${workspaceId}`
        yield* until(sent, (rows) => rows.length === 1)
        yield* until(held, (rows) => rows.length === 1)
        expect([yield* sent, yield* held]).toEqual([[{ type: "incident.escalated" }], [{ type: "incident.created" }]])
      }))

    it.effect("sends incident.escalated to the channels of its level only", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const sql = yield* SqlClient.SqlClient
        const channels = yield* ManageChannels
        const hook = (name: string) => channels.create(workspaceId, { name, type: "webhook", url: `http://127.0.0.1:9/${name}` })
        const [first, second] = [yield* hook("first"), yield* hook("second")]
        yield* channels.create(workspaceId, { name: "all", type: "webhook", url: "http://127.0.0.1:9/all", events: ["*"] })
        const to = (id: ChannelId) => [{ type: "channel" as const, id }]
        yield* policy(workspaceId, {
          levels: [{ afterMinutes: 0, targets: to(first.id) }, { afterMinutes: 5, targets: to(second.id) }]
        })
        const { id } = yield* open(workspaceId)
        const receivers = sql<{ readonly channelId: string }>`
          select d.channel_id as "channelId" from deliveries d join events e on e.workspace_id = d.workspace_id and e.id = d.event_id
          where d.workspace_id = ${workspaceId} and e.type = 'incident.escalated' order by e.id`
        yield* until(receivers, (found) => found.length === 1)
        yield* sleptThrough(id, 6)
        yield* until(receivers, (found) => found.length === 2)
        expect((yield* receivers).map(({ channelId }) => channelId)).toEqual([first.id, second.id])
      }))
  })
})
