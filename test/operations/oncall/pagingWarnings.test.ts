/** Schedules and policies say whom of those that they name no page reaches. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { WayId, type WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { pagingWarnings } from "../../../src/domain/oncall/PagingWarnings.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ManageSchedules } from "../../../src/operations/oncall/ManageSchedules.ts"
import { ReadOnCall } from "../../../src/operations/oncall/ReadOnCall.ts"
import { MailMode } from "../../../src/store/mail/MailMode.ts"
import { Users } from "../../../src/store/people/Users.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"

const services = Layer.mergeAll(ManageChannels.Default, ManagePolicies.Default, ManageSchedules.Default, ReadOnCall.Default).pipe(
  Layer.provide(Layer.succeed(MailMode, Effect.succeed("sent"))),
  Layer.provideMerge(TestRunner)
)

let people = 0
const newMember = (workspaceId: WorkspaceId, proved: boolean) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const email = Schema.decodeSync(EmailAddress)(`warned-${++people}@example.com`)
    const { id } = yield* Effect.flatMap(Users, ({ ensure }) => ensure(email, proved, null))
    yield* sql`insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${id}, 'member', now())`
    return { id, email }
  })

layer(services, { excludeTestServices: true })("a policy", (it) => {
  it.effect("says which of its targets tell nobody, because they are disabled or gone", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const channels = yield* ManageChannels
      const { id } = yield* channels.create(workspaceId, { name: "Hook", type: "webhook", url: "https://example.com/hook" })
      const policies = yield* ManagePolicies
      const levels = [{ afterMinutes: 0, targets: [{ type: "channel" as const, id }] }]
      const policy = yield* policies.create(workspaceId, { name: "P", levels })
      const warnings = Effect.map(policies.list(workspaceId), (all) => all.flatMap((one) => one.warnings))
      expect(policy.warnings).toEqual([])
      const sql = yield* SqlClient.SqlClient
      yield* sql`update channels set problem = 'Answered 410 Gone', problem_at = now() where id = ${id}`
      expect(yield* warnings).toEqual([
        `Level 1 pages nobody through the alert channel ${id}: no message arrives there, as its problem says.`
      ])
      yield* channels.update(workspaceId, id, { enabled: false })
      expect(yield* warnings).toEqual([`Level 1 pages nobody through the alert channel ${id}, which is disabled.`])
      yield* channels.remove(workspaceId, id)
      expect(yield* warnings).toEqual([`Level 1 pages nobody through the alert channel ${id}, which was deleted.`])
      const kept = yield* policies.update(workspaceId, policy.id, { levels })
      expect(kept.warnings).toHaveLength(1)
    }))
})

layer(services, { excludeTestServices: true })("a person whose address is not confirmed", (it) => {
  it.effect("is named by the schedule and the policy that count on them, and is not reachable on call", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const typed = yield* newMember(workspaceId, false)
      const confirmed = yield* newMember(workspaceId, true)
      const warning = `${typed.email} cannot be paged: the email address is not confirmed.`
      const schedules = yield* ManageSchedules
      const rotation = { name: "Platform", timezone: "UTC", handoffDay: 0, handoffTime: "09:00" }
      const schedule = yield* schedules.create(workspaceId, { ...rotation, participants: [typed.id, confirmed.id] })
      expect(schedule.warnings).toEqual([warning])
      expect(schedule.current?.user).toMatchObject({ id: typed.id, reachable: false })
      const sound = yield* schedules.create(workspaceId, { ...rotation, participants: [confirmed.id] })
      expect(sound).toMatchObject({ warnings: [], current: { user: { reachable: true } } })
      const policies = yield* ManagePolicies
      const named = (targets: Parameters<typeof policies.create>[1]["levels"][number]["targets"]) =>
        policies.create(workspaceId, { name: "P", levels: [{ afterMinutes: 0, targets }] })
      expect((yield* named([{ type: "user", id: typed.id }])).warnings).toEqual([warning])
      expect((yield* named([{ type: "schedule", id: schedule.id }])).warnings).toEqual([warning])
      expect((yield* named([{ type: "schedule", id: sound.id }])).warnings).toEqual([])
      expect((yield* policies.list(workspaceId)).map(({ warnings }) => warnings)).toEqual([[warning], [warning], []])
      const members = yield* Effect.flatMap(ReadOnCall, (reading) => reading.members(workspaceId))
      expect(members.map(({ contact }) => contact.email)).toEqual([false, true])
    }))

  it.effect("is one of none where the server sends no mail: that is the only thing to say", () =>
    Effect.gen(function*() {
      const { id: workspaceId } = yield* newWorkspace
      const { email, id } = yield* newMember(workspaceId, true)
      const member = { id, name: null, email, ways: [{ id: null, kind: "email" as const, label: "Email" }] }
      expect(pagingWarnings([id], [member], false)).toEqual([
        `This server sends no email, so no page reaches ${email}. Set SMTP_URL, or let them add another way.`
      ])
      // Another way needs no mail.
      const pushed = { ...member, ways: [{ id: WayId.make("way_1"), kind: "push" as const, label: "Phone" }] }
      expect(pagingWarnings([id], [pushed], false)).toEqual([])
      expect(pagingWarnings([], [], false)).toEqual([])
      expect(pagingWarnings([id], [], true)).toEqual(["Someone who has left the workspace is not paged."])
    }))
})
