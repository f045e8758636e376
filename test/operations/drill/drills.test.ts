/** Drills on a runner: each stage is real, and the receipt says when it was reached. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, Fiber, Layer, Schema } from "effect"
import { DrillId, type WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { RunDrills } from "../../../src/operations/drill/RunDrills.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { Digests } from "../../../src/store/digest/Digests.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Users } from "../../../src/store/people/Users.ts"
import { alertApi } from "../../notify/alert/PagingServices.ts"
import { answering, receiver } from "../../notify/alert/Receiver.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

const Subject = Layer.provideMerge(Layer.mergeAll(ManageChannels.Default, ManagePolicies.Default, RunDrills.Default), TestRunner)

const newChannel = (workspaceId: WorkspaceId, url: string) =>
  Effect.flatMap(ManageChannels, ({ create }) => create(workspaceId, { name: "Team", type: "webhook", url }))

layer(Subject, { excludeTestServices: true })((it) => {
  describe("a drill", () => {
    it.scoped("goes through every stage, and its receipt has their times", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const hook = yield* receiver(answering(204))
        const channel = yield* newChannel(workspaceId, hook.url)
        const { get, start } = yield* RunDrills
        const drill = yield* start(workspaceId, {})
        expect(drill).toMatchObject({ status: "passed", error: null, paged: [] })
        expect(drill.stages.map(({ stage }) => stage))
          .toEqual(["detection", "alert", "acknowledgement", "recovery", "all_clear"])
        const times = drill.stages.map(({ afterMs }) => afterMs)
        expect(times).toEqual([...times].sort((one, other) => one - other))
        expect(drill.deliveries).toMatchObject([
          { channelId: channel.id, event: "monitor.down", status: "delivered", statusCode: 204 },
          { channelId: channel.id, event: "monitor.up", status: "delivered", statusCode: 204 }
        ])
        // What the team sees says that it is a drill.
        const bodies = hook.seen.map(({ body }) => JSON.parse(body))
        expect(bodies.map(({ type }) => type)).toEqual(
          expect.arrayContaining(["monitor.down", "incident.acknowledged", "monitor.up"])
        )
        expect(bodies.every(({ data }) => JSON.stringify(data).includes("[Drill]"))).toBe(true)
        expect(yield* get(workspaceId, drill.id)).toEqual(drill)
      }))

    it.scoped("opens an alert at a paging service, acknowledges it and closes it", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const api = alertApi()
        const { url } = yield* receiver(api.respond)
        yield* Effect.flatMap(ManageChannels, ({ create }) =>
          create(workspaceId, { name: "Opsgenie", type: "opsgenie", token: "k3y", url: new URL(url).origin }))
        const drill = yield* Effect.flatMap(RunDrills, ({ start }) =>
          start(workspaceId, {}))
        expect(drill).toMatchObject({ status: "passed", error: null })
        const alias = `belltower incident ${drill.incidentId}`
        expect(api.history).toEqual([["create", alias], ["acknowledge", alias], ["close", alias]])
      }))

    it.scoped("leaves no monitor, touches no page, and is acknowledged by the link of the alert", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const hook = yield* receiver(answering(204))
        yield* newChannel(workspaceId, hook.url)
        const sql = yield* SqlClient.SqlClient
        const drill = yield* Effect.flatMap(RunDrills, ({ start }) => start(workspaceId, {}))
        expect(yield* sql`select from monitors where workspace_id = ${workspaceId}`).toEqual([])
        const [incident] = yield* sql<Record<string, unknown>>`
          select title, public, page_ids, acknowledgement ->> 'via' as via, resolved_at is not null as over
          from incidents where workspace_id = ${workspaceId} and id = ${drill.incidentId}`
        expect(incident).toMatchObject({ public: false, page_ids: [], via: "link", over: true })
        expect(incident?.title).toContain("[Drill]")
        const log = yield* EventLog
        expect(yield* log.after(workspaceId, "", ["component.status_changed"], 10)).toEqual([])
        // No digest counts it, also while it runs.
        yield* sql`update incidents set resolved_at = null where id = ${drill.incidentId}`
        const now = yield* DateTime.now
        const [from, to] = [DateTime.subtract(now, { days: 1 }), DateTime.add(now, { hours: 1 })]
        const { week } = yield* Effect.flatMap(
          Digests,
          ({ incidents }) => incidents(workspaceId, { from, to }, { from, to: from })
        )
        expect([week.total, week.open]).toEqual([0, 0])
      }).pipe(Effect.provide(Digests.Default)))

    it.scoped("fails when a channel refuses the alert, and says which", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const refusing = yield* receiver(answering(404))
        const accepting = yield* receiver(answering(204))
        const broken = yield* newChannel(workspaceId, refusing.url)
        yield* newChannel(workspaceId, accepting.url)
        const drill = yield* Effect.flatMap(RunDrills, ({ start }) => start(workspaceId, {}))
        expect(drill).toMatchObject({ status: "failed", error: "1 of 2 channels did not accept the alert" })
        expect(drill.deliveries).toContainEqual(
          expect.objectContaining({ channelId: broken.id, event: "monitor.down", status: "dead", statusCode: 404 })
        )
      }))

    it.scoped("fails when nobody confirmed the address of the person to page, and says whom and why", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const hook = yield* receiver(answering(204))
        yield* newChannel(workspaceId, hook.url)
        const sql = yield* SqlClient.SqlClient
        const person = yield* Effect.flatMap(
          Users,
          ({ ensure }) => ensure(Schema.decodeSync(EmailAddress)("typed@example.com"), false, null)
        )
        yield* sql`
          insert into memberships (workspace_id, user_id, role, created_at)
          values (${workspaceId}, ${person.id}, 'member', now())`
        const levels = [{ afterMinutes: 0, targets: [{ type: "user" as const, id: person.id }] }]
        yield* Effect.flatMap(ManagePolicies, ({ create }) => create(workspaceId, { name: "Platform", levels }))
        const drill = yield* Effect.flatMap(RunDrills, ({ start }) => start(workspaceId, {}))
        expect(drill).toMatchObject({
          status: "failed",
          error: "1 person could not be paged. Check their email addresses",
          paged: [],
          unreached: [{ person: "typed@example.com", reason: "The email address is not confirmed" }]
        })
      }))

    it.scoped("shows each channel whose quiet hours hold the alert back, also if several have one target", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const now = yield* Clock.currentTimeMillis
        const clock = (minutes: number) => new Date(now + minutes * 60_000).toISOString().slice(11, 16)
        const quietHours = { timezone: "UTC", from: clock(-60), to: clock(60) }
        const { create } = yield* ManageChannels
        const one = create(workspaceId, { name: "Team", type: "webhook", url: "http://127.0.0.1:9/hook", quietHours })
        const ids = [(yield* one).id, (yield* one).id]
        const { deliveries } = yield* Effect.flatMap(RunDrills, ({ start }) => start(workspaceId, {}))
        const held = deliveries.flatMap(({ channelId, status }) => (status === "held" ? [channelId] : []))
        expect([...new Set(held)].sort()).toEqual(ids.sort())
      }))

    it.scoped("is refused without a channel, while another runs, and above ten an hour", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const { get, start } = yield* RunDrills
        expect(yield* Effect.flip(start(workspaceId, {}))).toMatchObject({ _tag: "validation_failed" })
        expect(yield* Effect.flip(get(workspaceId, DrillId.make("drl_01k9x2m4q8e7s9v3bthn5wza6c")))).toMatchObject({
          _tag: "not_found"
        })
        const silent = yield* receiver(() => undefined)
        yield* newChannel(workspaceId, silent.url)
        const running = yield* Effect.fork(start(workspaceId, {}))
        const sql = yield* SqlClient.SqlClient
        yield* until(sql`select from drills where workspace_id = ${workspaceId}`, (rows) => rows.length === 1)
        // Twice the number, because an hour may end in between.
        const refused = yield* Effect.replicateEffect(Effect.flip(start(workspaceId, {})), 20)
        expect(refused[0]).toMatchObject({ _tag: "conflict" })
        expect(refused.map(({ _tag }) => _tag)).toContain("rate_limited")
        yield* Fiber.interrupt(running)
      }))
  })
})
